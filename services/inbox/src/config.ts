import {
  address,
  ConfigError,
  daysKept,
  httpUrl,
  mongoSettings,
  natsSettings,
  natsTlsDir,
  parseSettings,
  port,
  SECRET,
  secureMongodbUri,
  serviceSettings,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { mailServerMissing, reachableBy } from '@family-inbox/service-kit/http/loopback'
import type { AllowanceWindow } from '@family-inbox/service-kit/mongo/allowance'
import { z } from 'zod'
import { MIN_RETENTION_DAYS } from './retention/expire-mail.ts'

/** Per hour, then per day. */
const replyLimit = z.string().regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/)

export const settings = z.object({
  ...serviceSettings,
  ...mongoSettings,
  ...natsSettings,
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  MAIL_DOMAIN: z
    .hostname()
    .default('family-inbox.test')
    .describe('the domain of loved ones’ addresses, for example inbox.example.org'),
  SMTP_HOST: z.string().default('0.0.0.0').describe('the address the SMTP server listens on, for example 127.0.0.1'),
  SMTP_PORT: port.default(2525).describe('the port the SMTP server listens on, for example 2525'),
  SMTP_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with tls.crt and tls.key for the name in the MX record, by which STARTTLS is offered for inbound mail, for example /run/smtp-tls; unset: mail arrives in clear text',
    ),
  SMTP_MAX_CONNECTIONS: wholeNumber(1)
    .default(1000)
    .describe('the most SMTP connections held at once, for example 1000'),
  SMTP_MAX_CONNECTIONS_PER_PEER: wholeNumber(1)
    .default(250)
    .describe('the most SMTP connections one network address holds at once, for example 250'),
  INBOX_MESSAGES_PER_HOUR: wholeNumber(1)
    .default(1000)
    .describe(
      'the most messages one inbox takes in an hour, for example 1000; the sender of more is asked to come back',
    ),
  WORKSPACE_STORAGE_MB: wholeNumber(1)
    .default(10_000)
    .describe('the most mail a family keeps, in megabytes, for example 10000; its owner is told when 80% are used'),
  FAMILY_INBOX_SENDER_ADDRESS: z
    .email()
    .default('care@family-inbox.test')
    .describe('the sender of replies and invitations, for example care@example.org'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'the server outgoing mail is handed to, for example smtps://user:password@mail.example.org; required unless every address is on one’s own machine',
    )
    .meta(SECRET),
  INBOX_URL: httpUrl.describe(
    'the address of the application, to which notices lead, for example http://localhost:8082',
  ),
  BASE_URL: httpUrl
    .optional()
    .describe('the public address of the site, looked at where SMTP_URL is not set, for example http://localhost:8080'),
  API_URL: httpUrl
    .optional()
    .describe(
      'the public address of the tool server, looked at where SMTP_URL is not set, for example http://localhost:8081',
    ),
  NOTIFICATION_DELAY_SECONDS: wholeNumber(1)
    .default(120)
    .describe('how long new mail is gathered into one notice for those who want to hear of it, for example 120'),
  MAIL_KEPT_DAYS: daysKept(MIN_RETENTION_DAYS)
    .optional()
    .describe(
      'for how many days mail is kept, 7 to 20000, for example 730; with its attachments and the answers to it; unset, it is kept as long as its household',
    ),
  SENT_MAIL_KEPT_DAYS: daysKept(MIN_RETENTION_DAYS)
    .default(90)
    .describe('for how many days it is recorded that a mail was sent, 7 to 20000, for example 90'),
  REPLIES_PER_WORKSPACE: replyLimit
    .default('60/200')
    .describe('the most replies a workspace may send in any hour and in any day, for example 60/200'),
  REPLIES_PER_NEW_WORKSPACE: replyLimit
    .default('30/60')
    .describe('the same for a workspace younger than a week, for example 30/60'),
  REPLIES_PER_PERSON: replyLimit
    .default('40/100')
    .describe('the most replies a person may send in any hour and in any day, for example 40/100'),
  REPLIES_PER_RECIPIENT: replyLimit
    .default('30/50')
    .describe('the most replies a workspace may send to one address in any hour and in any day, for example 30/50'),
  REPLIES_TO_UNVERIFIED: replyLimit
    .default('30/40')
    .describe(
      'the most replies a workspace may send in any hour and in any day to addresses that DMARC does not vouch for, for example 30/40',
    ),
  OUTBOX_DIR: z
    .string()
    .default('.data/outbox')
    .describe(
      'on one’s own machine only: the folder outgoing mail is written to while SMTP_URL is not set, for example .data/outbox',
    ),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Reads this service's settings. Throws ConfigError. */
export function environmentToConfig(env: Record<string, string | undefined>) {
  const values = parseSettings(settings, env)
  if (values.SMTP_URL === undefined) requireOwnMachine(values)
  return {
    logLevel: values.LOG_LEVEL,
    host: values.GRPC_HOST,
    port: values.GRPC_PORT,
    reflection: values.GRPC_REFLECTION,
    grpcTlsDir: values.GRPC_TLS_DIR,
    serviceKey: values.SERVICE_KEY,
    serviceKeys: values.SERVICE_KEYS,
    mongodbUri: secureMongodbUri(values),
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    natsUrl: values.NATS_URL,
    natsTlsDir: natsTlsDir(values),
    natsUnauthenticated: values.NATS_UNAUTHENTICATED,
    natsReplicas: values.NATS_REPLICAS,
    mailDomain: values.MAIL_DOMAIN,
    messagesPerHour: values.INBOX_MESSAGES_PER_HOUR,
    storageBytes: values.WORKSPACE_STORAGE_MB * 1_000_000,
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS,
    smtpUrl: values.SMTP_URL,
    inboxUrl: values.INBOX_URL,
    notificationDelayMs: values.NOTIFICATION_DELAY_SECONDS * 1000,
    mailKeptDays: values.MAIL_KEPT_DAYS,
    sentMailKeptDays: values.SENT_MAIL_KEPT_DAYS,
    outboxDir: values.OUTBOX_DIR,
    replyLimits: {
      workspace: readReplyLimit(values.REPLIES_PER_WORKSPACE),
      newWorkspace: readReplyLimit(values.REPLIES_PER_NEW_WORKSPACE),
      person: readReplyLimit(values.REPLIES_PER_PERSON),
      recipient: readReplyLimit(values.REPLIES_PER_RECIPIENT),
      unverified: readReplyLimit(values.REPLIES_TO_UNVERIFIED),
    },
    smtp: {
      host: values.SMTP_HOST,
      port: values.SMTP_PORT,
      tlsDir: values.SMTP_TLS_DIR,
      maxConnections: values.SMTP_MAX_CONNECTIONS,
      maxConnectionsPerPeer: values.SMTP_MAX_CONNECTIONS_PER_PEER,
    },
  }
}

/** Without SMTP_URL, mail goes to a folder. It contains sign-in codes, so this is for local use only. */
function requireOwnMachine(values: z.infer<typeof settings>): void {
  const { BASE_URL, API_URL, INBOX_URL, SMTP_HOST, GRPC_HOST } = values
  const urls = { INBOX_URL, ...(BASE_URL && { BASE_URL }), ...(API_URL && { API_URL }) }
  const reachable = reachableBy({ urls, hosts: { SMTP_HOST, GRPC_HOST } })
  if (reachable !== undefined) throw new ConfigError(mailServerMissing(reachable))
}

/** @param limit such as `60/200`: per hour, then per day */
function readReplyLimit(limit: string): AllowanceWindow[] {
  const [perHour = 0, perDay = 0] = limit.split('/').map(Number)
  return [
    { most: perHour, ms: HOUR_MS },
    { most: perDay, ms: 24 * HOUR_MS },
  ]
}

const HOUR_MS = 60 * 60 * 1000
