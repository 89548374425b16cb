import { MailboxEncryption } from '@family-inbox/proto/inbox/v1/inbox'

export type Preset = {
  id: string
  label: string
  host: string
  port: number
  encryption: MailboxEncryption
  /** What it writes into Authentication-Results (RFC 8601), above what the sender wrote; empty if it names nothing or several. */
  authservId: string
  /** Whose sign-in opens it, where the operator registered with them. */
  oauth?: { provider: string; label: string }
  /** Where an app password is created. */
  passwords?: { href: string; steps: string }
}

const TLS = { port: 993, encryption: MailboxEncryption.TLS } as const

/** The providers that most families use. */
export const PRESETS: readonly Preset[] = [
  {
    id: 'gmail',
    label: 'Gmail',
    host: 'imap.gmail.com',
    ...TLS,
    authservId: 'mx.google.com',
    oauth: { provider: 'google', label: 'Google' },
    passwords: {
      href: 'https://myaccount.google.com/apppasswords',
      steps: 'Turn on 2-Step Verification in the Google account first. Then create an app password and paste it here.',
    },
  },
  {
    id: 'outlook',
    label: 'Outlook or Hotmail',
    host: 'outlook.office365.com',
    ...TLS,
    authservId: '',
    oauth: { provider: 'microsoft', label: 'Microsoft' },
    passwords: {
      href: 'https://account.microsoft.com/security',
      steps:
        'Turn on POP and IMAP in Outlook’s settings, and create an app password under “Advanced security options”. Many accounts no longer accept app passwords. If the server refuses yours, forward mail instead.',
    },
  },
  {
    id: 'icloud',
    label: 'iCloud',
    host: 'imap.mail.me.com',
    ...TLS,
    authservId: '',
    passwords: {
      href: 'https://account.apple.com/account/manage',
      steps: 'Under “Sign-In and Security”, create an app-specific password and paste it here.',
    },
  },
  {
    id: 'gmx',
    label: 'GMX',
    host: 'imap.gmx.com',
    ...TLS,
    authservId: '',
    passwords: {
      href: 'https://support.gmx.com/pop-imap/toggle.html',
      steps:
        'Turn on IMAP in GMX’s settings. With two-factor authentication, also create an application-specific password.',
    },
  },
  {
    id: 'fastmail',
    label: 'Fastmail',
    host: 'imap.fastmail.com',
    ...TLS,
    authservId: '',
    passwords: {
      href: 'https://app.fastmail.com/settings/security/apps',
      steps: 'Create an app password with access to mail (IMAP) and paste it here.',
    },
  },
]

/** The preset with this id; `undefined` for another provider. Without an id, the first one. */
export function presetOf(id: string): Preset | undefined {
  return id === '' ? PRESETS[0] : PRESETS.find((preset) => preset.id === id)
}
