export type Provider = 'gmail' | 'outlook' | 'icloud' | 'other'

export const PROVIDERS: readonly { provider: Provider; label: string }[] = [
  { provider: 'gmail', label: 'Gmail' },
  { provider: 'outlook', label: 'Outlook or Hotmail' },
  { provider: 'icloud', label: 'iCloud' },
  { provider: 'other', label: 'Other' },
]

export function providerOf(name: string): Provider {
  return PROVIDERS.find(({ provider }) => provider === name)?.provider ?? 'gmail'
}

export const STEPS_OF: Record<Provider, { where?: { label: string; href: string }; steps: string[]; waits: string }> = {
  gmail: {
    where: { label: 'Open Gmail’s forwarding settings', href: 'https://mail.google.com/mail/u/0/#settings/fwdandpop' },
    steps: [
      'On a computer, open Gmail, then Settings, “See all settings”, and “Forwarding and POP/IMAP”.',
      'Choose “Add a forwarding address”, paste the address above, and confirm.',
      'Gmail sends a code to that address. It appears below as soon as it arrives.',
      'Enter the code in Gmail, choose “Forward a copy of incoming mail to”, and save.',
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
      'Turn on forwarding and paste the address above.',
      'Select “Keep a copy of forwarded messages”, and save.',
      'If Microsoft asks you to verify your identity, do that first. If it sends a code here, the code appears below.',
    ],
    waits: 'Waiting for the first message…',
  },
  icloud: {
    where: { label: 'Open iCloud Mail', href: 'https://www.icloud.com/mail' },
    steps: [
      'On a computer, open iCloud Mail, then Settings, and “Mail Forwarding”.',
      'Select “Forward my email to” and paste the address above.',
      'Leave “Delete messages after forwarding” off, and save.',
    ],
    waits: 'Waiting for the first message…',
  },
  other: {
    steps: [
      'Open your email settings and look for “Forwarding”, “Rules”, or “Filters”.',
      'Forward all mail, or only mail from doctors, pharmacies, and agencies, to the address above. Keep a copy.',
      'If your provider sends a confirmation code or link, it appears below as soon as it arrives.',
      'No such setting? Forward messages one by one, or give the address to the clinic.',
    ],
    waits: 'Waiting for the first message…',
  },
}
