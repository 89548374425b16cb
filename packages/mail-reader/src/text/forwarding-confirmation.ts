import { trimEndOf } from '@family-inbox/service-kit/text/trim'

export type ForwardingConfirmation = {
  provider: 'gmail' | 'outlook' | 'icloud' | 'yahoo' | 'zoho' | 'proton' | 'fastmail'
  code?: string
  /** The provider's confirmation link. Other links are never offered, not even on the provider's hosts. */
  link?: string
}

type Rule = {
  provider: ForwardingConfirmation['provider']
  /** Exact addresses or `@` plus an exact domain where nobody else can have a mailbox; never a suffix (lookalikes). */
  senders: string[]
  /** The same senders send other mail too. */
  about: RegExp
  code: RegExp
  /** A link to one of these hosts makes the mail a request even without a code. */
  linkHosts: string[]
  /** Other links on these hosts can do harm, such as authorizing an app to read mail. */
  linkPath?: RegExp
}

const CODE = /(?:code|código|codice|kod)[^\n\d]{0,40}\b(\d{4,12})\b/i

const RULES: Rule[] = [
  {
    provider: 'gmail',
    senders: ['forwarding-noreply@google.com'],
    about: /./,
    code: /\(#\s?(\d{4,12})\)/,
    linkHosts: ['mail-settings.google.com', 'mail.google.com', 'isolated.mail.google.com'],
    linkPath: /^\/mail\/vf-(?:[\w.~[\]-]|%5[BD]){1,1000}$/i,
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

/** Recognizes a provider's forwarding request by its exact From. From can be forged: check `isProven` as well. */
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
  const links = findLinks(text, rule.linkHosts)
  if (!code && links.length === 0) return undefined
  const link = links.find((one) => isConfirmation(one, rule))
  return { provider: rule.provider, ...(code && { code }), ...(link && { link }) }
}

/** Gmail's link has no query or fragment. The path is compared after URL normalization. */
function isConfirmation(link: string, { linkPath }: Rule): boolean {
  const { pathname, search, hash, username } = new URL(link)
  return linkPath?.test(pathname) === true && `${search}${hash}${username}` === ''
}

function findLinks(text: string, hosts: string[]): string[] {
  const links: string[] = []
  for (const [found] of text.matchAll(/https:\/\/[^\s<>"']{1,2000}/gi)) {
    const link = trimEndOf(found, ').,;')
    const url = URL.parse(link)
    if (url && hosts.includes(url.host)) links.push(link)
  }
  return links
}
