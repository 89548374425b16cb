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

/** What to do at a mail provider so that mail goes on to an address; each step one thing. */
export const STEPS_OF: Record<Provider, { where?: { label: string; href: string }; steps: string[]; waits: string }> = {
  gmail: {
    where: { label: 'Open Gmail’s forwarding settings', href: 'https://mail.google.com/mail/u/0/#settings/fwdandpop' },
    steps: [
      'On a computer, open Gmail, then Settings, “See all settings”, and “Forwarding and POP/IMAP”.',
      'Choose “Add a forwarding address”, paste the address above, and confirm.',
      'Gmail sends a code to that address. It appears below the moment it arrives.',
      'Type the code in Gmail, choose “Forward a copy of incoming mail to”, and save.',
    ],
    waits: 'Waiting for Gmail’s code…',
  },
  outlook: {
    where: {
      label: 'Open Outlook’s forwarding settings',
      href: 'https://outlook.live.com/mail/0/options/mail/forwarding',
    },
    steps: [
      'On the web, open Outlook, then Settings, “Mail”, and “Forwarding”.',
      'Switch forwarding on and paste the address above.',
      'Tick “Keep a copy of forwarded messages”, and save.',
      'If Microsoft asks you to prove that it is you, do that first. A code that is sent here appears below.',
    ],
    waits: 'Waiting for the first mail…',
  },
  icloud: {
    where: { label: 'Open iCloud Mail', href: 'https://www.icloud.com/mail' },
    steps: [
      'On a computer, open iCloud Mail, then Settings, and “Mail Forwarding”.',
      'Tick “Forward my email to” and paste the address above.',
      'Leave “Delete messages after forwarding” empty, and save.',
    ],
    waits: 'Waiting for the first mail…',
  },
  other: {
    steps: [
      'Open your mail’s settings and look for “Forwarding”, “Rules” or “Filters”.',
      'Have all mail, or only that of doctors, pharmacies and agencies, forwarded to the address above. Keep a copy.',
      'If your provider sends a code or a link to confirm it, that appears below the moment it arrives.',
      'No such setting? Forward single mails to the address by hand, or give the address to the clinic.',
    ],
    waits: 'Waiting for the first mail…',
  },
}
