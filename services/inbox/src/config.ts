import { backendConfig, backendSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  ConfigError,
  daysKept,
  type Environment,
  httpUrl,
  parseSettings,
  SECRET,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { deriveKey } from '@family-inbox/service-kit/config/derive-key'
import { mailServerMissing, reachableBy } from '@family-inbox/service-kit/http/loopback'
import { dkimKey, dkimSelector } from '@family-inbox/workspace-kit/dkim'
import { mailServerSettings, mailServerUrl } from '@family-inbox/workspace-kit/mail-server'
import { z } from 'zod'
import { incomingConfig, incomingSettings } from './incoming-settings.ts'
import { isOwnAddress } from './own-address.ts'
import { replyLimitSettings, replyLimitsConfig } from './reply-limit-settings.ts'

/**
 * The minimum retention for mail and delivery records: servers retry the same mail for less (RFC 5321 section 4.5.4.1), so it
 * is never stored or sent twice.
 */
export const MIN_RETENTION_DAYS = 7

/** Separated by commas or spaces. */
const hosts = (byDefault = '') =>
  z
    .string()
    .default(byDefault)
    .transform((list) =>
      list
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((one) => one !== ''),
    )
    .pipe(z.array(z.hostname()))

export const settings = z.object({
  ...backendSettings,
  AUTH_ADDRESS: address('auth')
    .default('dns:///auth:50051')
    .describe('the gRPC address of auth, for example dns:///auth:50051'),
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  MAIL_DOMAIN: z
    .hostname()
    .default('family-inbox.test')
    .describe('the domain of loved ones’ addresses, for example inbox.example.org'),
  MAIL_MAILBOX: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9._-]{1,20}$/)
    .optional()
    .describe(
      'the name of your mailbox at MAIL_DOMAIN, if only its plus addresses come here (family+…@example.org), for example family; without it, every address at MAIL_DOMAIN belongs to this service',
    ),
  ...incomingSettings,
  WORKSPACE_STORAGE_MB: wholeNumber(1)
    .default(10_000)
    .describe('the storage of one family, in megabytes, for example 10000; its owner gets a warning at 80%'),
  FAMILY_INBOX_SENDER_ADDRESS: z
    .email()
    .default('care@family-inbox.test')
    .describe('the sender of replies and invitations, for example care@example.org'),
  POSTMASTER_MAILBOX: z
    .email()
    .optional()
    .describe(
      'your own mailbox on another domain, which gets what is written to postmaster at MAIL_DOMAIN, for example ops@example.org; without it, such mail is refused',
    ),
  FEEDBACK_DOMAINS: hosts().describe(
    'the domains of feedback loops that you registered the sender address with, separated by commas, for example feedback.example.net; a complaint from them counts if its sender is verified',
  ),
  ...mailServerSettings,
  DKIM_SELECTOR: dkimSelector
    .optional()
    .describe(
      'the name under which the key that signs outgoing mail is in DNS, for example inbox; without it, mail is not signed here, which is right if your mail provider signs for the domain of the sender',
    ),
  DKIM_KEY: dkimKey
    .optional()
    .describe(
      'the key that signs outgoing mail if DKIM_SELECTOR is set: a private RSA key as PEM, for example -----BEGIN PRIVATE KEY-----…',
    )
    .meta(SECRET),
  INBOX_URL: httpUrl.describe(
    'the address of the web app, used for links in notifications, for example http://localhost:8082',
  ),
  BASE_URL: httpUrl
    .optional()
    .describe('the public address of the site, checked when no mail server is set, for example http://localhost:8080'),
  API_URL: httpUrl
    .optional()
    .describe(
      'the public address of the tool server, checked when no mail server is set, for example http://localhost:8081',
    ),
  NOTIFICATION_DELAY_SECONDS: wholeNumber(1)
    .default(120)
    .describe('how many seconds of new mail go into one notification, for example 120'),
  MAIL_KEPT_DAYS: daysKept(MIN_RETENTION_DAYS)
    .optional()
    .describe(
      'how many days to keep mail with its attachments and replies, 7 to 20000, for example 730; without it, mail is kept as long as its workspace',
    ),
  SENT_MAIL_KEPT_DAYS: daysKept(MIN_RETENTION_DAYS)
    .default(90)
    .describe('how many days to keep the record that a mail was sent, 7 to 20000, for example 90'),
  REPLY_UNDO_SECONDS: wholeNumber(5)
    .max(30)
    .default(15)
    .describe('the seconds in which a sent reply can be taken back, 5 to 30, for example 15'),
  ...replyLimitSettings,
  KNOWN_FORWARDERS: hosts().describe(
    'more domains whose ARC seals explain that forwarded mail fails the check of its sender, separated by commas, for example lists.example.org',
  ),
  PUSH_SERVICES: hosts('fcm.googleapis.com,push.services.mozilla.com,notify.windows.com,push.apple.com').describe(
    'the hosts of the push services of browsers, separated by commas, which may get notifications, each with its subdomains, for example push.services.mozilla.com',
  ),
  OUTBOX_DIR: z
    .string()
    .default('.data/outbox')
    .describe('for local use only: the folder for outgoing mail when no mail server is set, for example .data/outbox'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Reads this service's settings. Throws ConfigError. */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  const smtpUrl = mailServerUrl(values)
  if (smtpUrl === undefined) requireOwnMachine(values)
  return {
    ...backendConfig(values),
    authAddress: values.AUTH_ADDRESS,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    mailDomain: values.MAIL_DOMAIN,
    mailbox: values.MAIL_MAILBOX,
    ...incomingConfig(values),
    storageBytes: values.WORKSPACE_STORAGE_MB * 1_000_000,
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS,
    postmasterAddress: postmasterOf(values, smtpUrl),
    feedbackDomains: values.FEEDBACK_DOMAINS,
    mailIdKey: deriveKey('message ids', values.SERVICE_KEY),
    returnPathKey: deriveKey('return paths', values.SERVICE_KEY),
    answerAddressKey: deriveKey('answers by mail', values.SERVICE_KEY),
    pushKey: deriveKey('web push', values.SERVICE_KEY),
    pushServices: values.PUSH_SERVICES,
    smtpUrl,
    dkim: dkimOf(values),
    inboxUrl: values.INBOX_URL,
    notificationDelayMs: values.NOTIFICATION_DELAY_SECONDS * 1000,
    mailKeptDays: values.MAIL_KEPT_DAYS,
    sentMailKeptDays: values.SENT_MAIL_KEPT_DAYS,
    outboxDir: values.OUTBOX_DIR,
    replyUndoSec: values.REPLY_UNDO_SECONDS,
    knownForwarders: values.KNOWN_FORWARDERS,
    replyLimits: replyLimitsConfig(values),
  }
}

function dkimOf({ DKIM_SELECTOR: selector, DKIM_KEY: key }: z.infer<typeof settings>) {
  if (selector === undefined) return undefined
  if (key !== undefined) return { selector, key }
  throw new ConfigError(`DKIM_KEY is missing: ${settings.shape.DKIM_KEY.description}`)
}

/** Without a server, mail goes to a folder. It contains sign-in codes, so this is for local use only. */
function requireOwnMachine(values: z.infer<typeof settings>): void {
  const { BASE_URL, API_URL, INBOX_URL, SMTP_HOST, GRPC_HOST } = values
  const urls = { INBOX_URL, ...(BASE_URL && { BASE_URL }), ...(API_URL && { API_URL }) }
  const reachable = reachableBy({ urls, hosts: { SMTP_HOST, GRPC_HOST } })
  if (reachable !== undefined) throw new ConfigError(mailServerMissing(reachable))
}

/** On a developer's machine, such mail is in the outbox. */
function postmasterOf({ POSTMASTER_MAILBOX: address, ...values }: z.infer<typeof settings>, smtpUrl?: string) {
  if (address === undefined) return smtpUrl === undefined ? 'postmaster@localhost' : undefined
  const own = {
    mailDomain: values.MAIL_DOMAIN,
    mailbox: values.MAIL_MAILBOX,
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS,
  }
  if (!isOwnAddress(own, address)) return address
  throw new ConfigError(
    'POSTMASTER_MAILBOX leads back here. Name a mailbox on another domain, for example ops@example.org',
  )
}
