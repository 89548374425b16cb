/** The mail providers the guide knows, in the order they are offered. */
export type Provider = 'gmail' | 'outlook' | 'icloud' | 'other'

export const PROVIDERS: readonly { provider: Provider; label: string }[] = [
  { provider: 'gmail', label: 'Gmail' },
  { provider: 'outlook', label: 'Outlook or Hotmail' },
  { provider: 'icloud', label: 'iCloud' },
  { provider: 'other', label: 'Another one' },
]

/** The provider of a name from an address; Gmail for a name there is none of. */
export function providerOf(name: string): Provider {
  return PROVIDERS.find(({ provider }) => provider === name)?.provider ?? 'gmail'
}

const NAMES: Record<string, string> = {
  gmail: 'Gmail',
  outlook: 'Outlook',
  icloud: 'iCloud',
  yahoo: 'Yahoo',
  zoho: 'Zoho',
  proton: 'Proton',
  fastmail: 'Fastmail',
}

/** What a provider calls itself. */
export function providerName(provider: string): string {
  return NAMES[provider] ?? 'Your mail provider'
}
