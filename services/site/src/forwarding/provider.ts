export type Provider = 'gmail' | 'outlook' | 'icloud' | 'other'

export const PROVIDERS: readonly { provider: Provider; label: string }[] = [
  { provider: 'gmail', label: 'Gmail' },
  { provider: 'outlook', label: 'Outlook or Hotmail' },
  { provider: 'icloud', label: 'iCloud' },
  { provider: 'other', label: 'Other' },
]

/** Gmail unless something else is named: most families use it. */
export function providerOf(name: string): Provider {
  return PROVIDERS.find(({ provider }) => provider === name)?.provider ?? (name === '' ? 'gmail' : 'other')
}

type Guide = {
  where?: { label: string; href: string }
  /** Forwards only mail from the senders that the person names. */
  steps: string[]
  /** Forwards the whole mailbox. */
  everything?: string[]
  waits: string
}

export const STEPS_OF: Record<Provider, Guide> = {
  gmail: {
    where: { label: 'Open Gmail’s forwarding settings', href: 'https://mail.google.com/mail/u/0/#settings/fwdandpop' },
    steps: [
      'On a computer, open Gmail, then Settings, “See all settings”, and “Forwarding and POP/IMAP”.',
      'Choose “Add a forwarding address”, paste the address above, and confirm. Gmail sends a code to that address. It appears below as soon as it arrives.',
      'Enter the code in Gmail. Leave “Disable forwarding” selected: the filter in the next step forwards only what you choose.',
      'Open “Filters and Blocked Addresses” and choose “Create a new filter”. In “From”, enter the addresses of the doctors, pharmacies, and agencies, with OR between them.',
      'Choose “Create filter”, select “Forward it to” with the address above, and create the filter.',
    ],
    everything: [
      'On “Forwarding and POP/IMAP”, choose “Forward a copy of incoming mail to” with the address above.',
      'Choose “Keep Gmail’s copy in the Inbox”, and save.',
    ],
    waits: 'Waiting for Gmail’s code…',
  },
  outlook: {
    where: { label: 'Open Outlook’s rules', href: 'https://outlook.live.com/mail/0/options/mail/rules' },
    steps: [
      'On the web, open Outlook, then Settings, “Mail”, and “Rules”.',
      'Choose “Add new rule” and give it a name, such as “Care mail”.',
      'For the condition, choose “From” and enter the addresses of the doctors, pharmacies, and agencies.',
      'For the action, choose “Forward to” and paste the address above. Save the rule.',
      'If Microsoft asks you to verify your identity, do that first.',
    ],
    everything: [
      'Open Settings, “Mail”, and “Forwarding”. Turn on forwarding and paste the address above.',
      'Select “Keep a copy of forwarded messages”, and save.',
    ],
    waits: 'Waiting for the first message…',
  },
  icloud: {
    where: { label: 'Open iCloud Mail', href: 'https://www.icloud.com/mail' },
    steps: [
      'On a computer, open iCloud Mail, then Settings, and “Rules”.',
      'Choose “Add Rule”. For the condition, choose “is from” and enter the address of a doctor, pharmacy, or agency.',
      'For the action, choose “Forward to” and paste the address above. Save the rule.',
      'Add one rule for each sender.',
    ],
    everything: [
      'Open Settings and “Mail Forwarding”. Select “Forward my email to” and paste the address above.',
      'Leave “Delete messages after forwarding” off, and save.',
    ],
    waits: 'Waiting for the first message…',
  },
  other: {
    steps: [
      'Open your email settings and look for “Rules” or “Filters”.',
      'Add a rule that forwards mail from doctors, pharmacies, and agencies to the address above. Keep a copy.',
      'If your provider sends a confirmation code or link, it appears below as soon as it arrives.',
      'No such setting? Forward messages one by one, or give the address to the clinic.',
    ],
    waits: 'Waiting for the first message…',
  },
}
