/** A scope in plain words, to go after "It can read" or "It can". */
export type ScopeWords = { scope: string; kind: 'read' | 'write'; text: string }

const WORDS: Record<string, Omit<ScopeWords, 'scope'>> = {
  'profile:read': { kind: 'read', text: 'your name, your email address and the name of your household' },
  'care_circle:read': {
    kind: 'read',
    text: 'your loved ones’ mail, the care timeline, and the names and email addresses in your care circle',
  },
  'care_circle:write': {
    kind: 'write',
    text: 'invite people, make codes for providers, and send replies in your name',
  },
}

/** The words for a scope (SPEC "Scopes"). One that is not ours is shown as it is rather than left out. */
export function scopeWords(scope: string): ScopeWords {
  const words = Object.hasOwn(WORDS, scope) ? WORDS[scope] : undefined
  return { scope, ...(words ?? { kind: 'read', text: `“${scope}”` }) }
}
