import { trimEndOf } from '@family-inbox/service-kit/trim'

/** What a mail provider asks the owner of an address to confirm before it forwards mail there. */
export type ForwardingConfirmation = {
  provider: 'gmail' | 'outlook' | 'icloud' | 'yahoo' | 'zoho' | 'proton' | 'fastmail'
  code?: string
  /** An https link on the provider's own host. */
  link?: string
}

type Rule = {
  provider: ForwardingConfirmation['provider']
  /**
   * Exact sender addresses or, beginning with `@`, exact domains: never a part of one, or a lookalike would pass, and never a
   * domain where anybody can have a mailbox.
   */
  senders: string[]
  /** What subject or text must say, as the same senders send other mail too. */
  about: RegExp
  code: RegExp
  linkHosts: string[]
}

const CODE = /(?:code|código|codice|kod)[^\n\d]{0,40}\b(\d{4,12})\b/i

const RULES: Rule[] = [
  {
    provider: 'gmail',
    senders: ['forwarding-noreply@google.com'],
    about: /./,
    code: /\(#\s?(\d{4,12})\)/,
    linkHosts: ['mail-settings.google.com', 'mail.google.com', 'isolated.mail.google.com'],
  },
  {
    provider: 'outlook',
    senders: ['@accountprotection.microsoft.com'],
    about: /forward|security code|verif/i,
    code: CODE,
    linkHosts: ['account.live.com', 'account.microsoft.com', 'outlook.live.com', 'login.live.com'],
  },
  {
    provider: 'icloud',
    senders: ['@id.apple.com', '@email.apple.com', '@insideapple.apple.com'],
    about: /forward|verif/i,
    code: CODE,
    linkHosts: ['id.apple.com', 'appleid.apple.com', 'account.apple.com', 'www.icloud.com'],
  },
  {
    provider: 'yahoo',
    senders: ['@cc.yahoo-inc.com', '@cc.mail.yahoo.com'],
    about: /forward|verif/i,
    code: CODE,
    linkHosts: ['mail.yahoo.com', 'login.yahoo.com', 'edit.yahoo.com', 'account.yahoo.com'],
  },
  {
    provider: 'zoho',
    senders: ['noreply@zoho.com', 'noreply@zohomail.com', 'noreply@zoho.eu', '@zohocorp.com'],
    about: /forward/i,
    code: CODE,
    linkHosts: ['mail.zoho.com', 'mail.zoho.eu', 'accounts.zoho.com', 'accounts.zoho.eu'],
  },
  {
    provider: 'proton',
    senders: ['@notify.proton.me'],
    about: /forward/i,
    code: CODE,
    linkHosts: ['account.proton.me', 'mail.proton.me'],
  },
  {
    provider: 'fastmail',
    senders: ['support@fastmail.com', '@fastmailteam.com'],
    about: /forward/i,
    code: CODE,
    linkHosts: ['www.fastmail.com', 'app.fastmail.com', 'betaapp.fastmail.com'],
  },
]

const MAX_TEXT = 20_000

/**
 * Recognizes a provider's request to confirm forwarding, by the exact address or domain of its From and with links only to
 * its own hosts. From can be forged: whether the mail truly comes from there is what its DKIM verdict says.
 */
export function findForwardingConfirmation(
  from: string,
  subject: string,
  fullText: string,
): ForwardingConfirmation | undefined {
  const address = from.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@'))
  const rule = RULES.find(({ senders }) => senders.includes(address) || senders.includes(domain))
  const text = fullText.slice(0, MAX_TEXT)
  if (!rule?.about.test(`${subject}\n${text}`)) return undefined
  const code = rule.code.exec(subject)?.[1] ?? CODE.exec(subject)?.[1] ?? CODE.exec(text)?.[1]
  const link = findLink(text, rule.linkHosts)
  if (!code && !link) return undefined
  return { provider: rule.provider, ...(code && { code }), ...(link && { link }) }
}

/** The first https link to one of these very hosts. */
function findLink(text: string, hosts: string[]): string | undefined {
  for (const [found] of text.matchAll(/https:\/\/[^\s<>"']{1,2000}/gi)) {
    const link = trimEndOf(found, ').,;')
    const url = URL.parse(link)
    if (url && hosts.includes(url.host)) return link
  }
  return undefined
}
