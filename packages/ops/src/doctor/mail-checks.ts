import { isLoopbackHost } from '@family-inbox/service-kit/http/loopback'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import { checkDkim } from './dkim-check.ts'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import type { SetUp } from './set-up.ts'
import type { World } from './world.ts'

const SMTP_PORT = 25

/** Whether mail to the inboxes arrives here. */
export async function checkMailIn({ mailDomain, mailbox, isPublic, urls }: SetUp, world: World): Promise<Finding[]> {
  if (!isPublic) return [skipped('mail in', 'Only this machine can send mail to the inboxes.')]
  const server = new URL(urls.INBOX_URL).hostname
  if (/(?:\.|^)test$/.test(mailDomain))
    return [problem('mail in', `${mailDomain} is only for trying things out.`, 'Set MAIL_DOMAIN to a domain of yours.')]
  if (mailbox !== undefined)
    return [
      skipped(
        'mail in',
        `Mail to ${mailbox}+…@${mailDomain} comes into your mailbox. Fetch it (Settings, Fetched mailboxes), or hand it over by LMTP.`,
      ),
    ]
  const [host] = await world.mailExchangers(mailDomain)
  if (host === undefined)
    return [
      problem(
        'MX',
        `${mailDomain} has no MX record, so no mail arrives.`,
        `Add "${mailDomain}. MX 10 ${server}." in DNS, or fetch a mailbox that you have (Settings, Fetched mailboxes).`,
      ),
    ]
  const [addresses, own] = await Promise.all([world.addresses(host), world.addresses(server)])
  if (addresses.length === 0)
    return [
      problem(
        'MX',
        `${mailDomain} sends its mail to ${host}, which has no address.`,
        `Add an A or AAAA record for ${host}.`,
      ),
    ]
  const isHere = own.length === 0 || addresses.some((address) => own.includes(address))
  const mx = isHere
    ? ok('MX', `Mail to ${mailDomain} goes to ${host}.`)
    : warning(
        'MX',
        `Mail to ${mailDomain} goes to ${host}, which is not where ${server} is.`,
        'That is right if it hands mail over to SMTP_PORT or LMTP_PORT here. Otherwise change the MX record.',
      )
  return [mx, await checkPort(mailDomain, host, world), ...(await checkPolicy(mailDomain, world))]
}

async function checkPort(mailDomain: string, host: string, world: World): Promise<Finding> {
  const check = 'port 25'
  const line = await world.greeting(host, SMTP_PORT).catch((error) => error)
  if (line instanceof Error)
    return problem(
      check,
      `${host} does not accept mail on port 25: ${line.message}.`,
      'Open port 25 and lead it to SMTP_PORT. Some providers close it: ask them, or fetch a mailbox (Settings, Fetched mailboxes).',
    )
  if (!line.startsWith('220'))
    return problem(check, `${host} refuses mail: ${line.slice(0, 100)}.`, 'Look at the log of inbox.')
  if (!line.toLowerCase().includes(mailDomain))
    return warning(
      check,
      `Another mail server answers at ${host}: ${line.slice(0, 100)}.`,
      'That is right if it hands mail over to SMTP_PORT or LMTP_PORT here. Otherwise lead port 25 to SMTP_PORT.',
    )
  return ok(check, `${host} accepts mail. Seen from here: your provider may still close the port to others.`)
}

/** MTA-STS (RFC 8461): optional, but a record without its policy stops mail. */
async function checkPolicy(mailDomain: string, world: World): Promise<Finding[]> {
  const records = (await world.texts(`_mta-sts.${mailDomain}`)).filter((text) => /^v=STSv1/i.test(text))
  if (records.length === 0) return []
  const url = `https://mta-sts.${mailDomain}/.well-known/mta-sts.txt`
  const policy = await world.get(url).catch(() => undefined)
  if (policy?.status === 200 && /version:\s*STSv1/i.test(policy.text)) return [ok('MTA-STS', 'The policy is there.')]
  return [
    problem(
      'MTA-STS',
      `DNS names a policy, but ${url} does not have it.`,
      'Publish the policy, or remove the TXT record.',
    ),
  ]
}

/** Whether mail from here is sent, and believed. */
export async function checkMailOut(setUp: SetUp, world: World): Promise<Finding[]> {
  const { smtpUrl, isPublic, senderAddress } = setUp
  if (smtpUrl === undefined)
    return isPublic
      ? [
          problem(
            'mail out',
            'No mail server is set: no sign-in code, invitation or reply is sent.',
            'Set SMTP_PROVIDER, for example Gmail, with SMTP_USER and SMTP_PASSWORD, or SMTP_URL, for example smtps://user:app-password@smtp.example.org.',
          ),
        ]
      : [skipped('mail out', 'Mail is kept in a folder and shown at /dev/mail.')]
  const domain = domainOf(senderAddress)
  const server = await checkServer(smtpUrl, setUp, world)
  if (/(?:\.|^)test$/.test(domain))
    return [
      ...server,
      problem(
        'sender',
        `Mail is sent as ${senderAddress}, which cannot exist.`,
        'Set FAMILY_INBOX_SENDER_ADDRESS to an address that your mail provider lets you send as.',
      ),
    ]
  return [
    ...server,
    await checkSpf(domain, world),
    await checkDkim(setUp, domain, world),
    await checkDmarc(domain, world),
  ]
}

async function checkServer(smtpUrl: string, { smtpProvider }: SetUp, world: World): Promise<Finding[]> {
  const { hostname, protocol, port, username, searchParams } = new URL(smtpUrl)
  const isOpen =
    !searchParams.has('requireTLS') &&
    protocol === 'smtp:' &&
    username !== '' &&
    port !== '587' &&
    !isLoopbackHost(hostname)
  const open = isOpen
    ? [
        warning(
          'mail server, encrypted',
          `The password may go to ${hostname} without encryption.`,
          'Use smtps:// with port 465, or port 587.',
        ),
      ]
    : []
  const refusal = await world.signIn(smtpUrl).then(
    () => undefined,
    (error) => error as Error & { code?: string },
  )
  if (refusal === undefined) return [...open, ok('mail server', `${hostname} accepts the user name and the password.`)]
  const isPassword = refusal.code === 'EAUTH'
  const todo = isPassword
    ? smtpProvider === undefined
      ? 'Check the user name and the password in SMTP_URL. Many providers need an app password. Characters such as @ and / are written as %40 and %2F.'
      : `Check SMTP_USER and SMTP_PASSWORD. ${smtpProvider} may need an app password, which you create in your account’s security settings, not the one you sign in with.`
    : `Check ${smtpProvider === undefined ? 'host and port in SMTP_URL' : 'SMTP_PROVIDER'}, and that your provider lets you reach it.`
  return [
    ...open,
    problem(
      'mail server',
      `${hostname} ${isPassword ? 'refuses the user name or the password' : `cannot be used: ${refusal.message}`}.`,
      todo,
    ),
  ]
}

/** RFC 7208: exactly one record, which lets somebody send. */
async function checkSpf(domain: string, world: World): Promise<Finding> {
  const records = (await world.texts(domain)).filter((text) => /^v=spf1(?:\s|$)/i.test(text))
  const [record] = records
  const add = `Add the SPF record that your mail provider names, for example "v=spf1 include:spf.example.org -all", for ${domain}.`
  if (record === undefined)
    return problem('SPF', `${domain} has no SPF record, so mail from it is often refused or marked as junk.`, add)
  if (records.length > 1)
    return problem('SPF', `${domain} has ${records.length} SPF records, so none counts.`, 'Join them into one.')
  const terms = record.toLowerCase().split(/\s+/).slice(1)
  if (terms.some((term) => /^\+?all$/.test(term)))
    return problem('SPF', `${domain} lets everybody send as it.`, 'End the SPF record with -all or ~all.')
  if (!terms.some((term) => /^[+~?]?(?:include:|ip[46]:|a\b|mx\b|exists:)|^redirect=/.test(term)))
    return problem('SPF', `${domain} lets nobody send as it: ${record}.`, add)
  return ok('SPF', `${domain} says who may send as it.`)
}

export function dmarcToAdd(domain: string): string {
  return `Add a TXT record for _dmarc.${domain}, for example "v=DMARC1; p=quarantine".`
}

/** RFC 7489 section 6.3. */
async function checkDmarc(domain: string, world: World): Promise<Finding> {
  const records = (await world.texts(`_dmarc.${domain}`)).filter((text) => /^v=DMARC1/i.test(text))
  const [record] = records
  const add = dmarcToAdd(domain)
  if (record === undefined || records.length > 1)
    return warning(
      'DMARC',
      `${domain} has ${records.length === 0 ? 'no DMARC record' : 'several DMARC records'}, so others can send in its name.`,
      add,
    )
  const policy = /;\s*p\s*=\s*(\w+)/i.exec(record)?.[1]?.toLowerCase() ?? ''
  if (!['none', 'quarantine', 'reject'].includes(policy))
    return problem('DMARC', `The DMARC record of ${domain} has no valid policy: ${record}.`, add)
  if (policy === 'none')
    return warning(
      'DMARC',
      `${domain} asks receivers to accept mail that fails DMARC (p=none).`,
      'Change it to p=quarantine once your own mail passes.',
    )
  return ok('DMARC', `${domain} asks receivers to ${policy} mail that fails.`)
}
