/** The text completes "It can read …" or "It can …". */
export type ScopeWords = { scope: string; kind: 'read' | 'write'; text: string }

const WORDS: Record<string, Omit<ScopeWords, 'scope'>> = {
  'profile:read': { kind: 'read', text: 'your name, your email address and your family’s name' },
  'care_circle:read': {
    kind: 'read',
    text: 'your loved ones’ mail, the care timeline, and the names and email addresses in your care circle',
  },
  'care_circle:write': {
    kind: 'write',
    text: 'invite people, make codes for providers, and send replies in your name',
  },
}

/** Describes a scope (SPEC "Scopes"). An unknown scope is shown as it is, never hidden. */
export function scopeWords(scope: string): ScopeWords {
  const words = Object.hasOwn(WORDS, scope) ? WORDS[scope] : undefined
  return { scope, ...(words ?? { kind: 'read', text: `“${scope}”` }) }
}
