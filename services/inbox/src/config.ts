import {
  address,
  daysKept,
  httpUrl,
  mongoSettings,
  natsSettings,
  parseSettings,
  port,
  SECRET,
  serviceSettings,
  wholeNumber,
} from '@family-inbox/service-kit/config'
import { z } from 'zod'
import { LEAST_KEPT_DAYS } from './retention/least-kept.ts'

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
  SMTP_MAX_CONNECTIONS: wholeNumber(1)
    .default(1000)
    .describe('the most SMTP connections held at once, for example 1000'),
  SMTP_MAX_CONNECTIONS_PER_PEER: wholeNumber(1)
    .default(250)
    .describe('the most SMTP connections one network address holds at once, for example 250'),
  FAMILY_INBOX_SENDER_ADDRESS: z
    .email()
    .default('care@family-inbox.test')
    .describe('the sender of replies and invitations, for example care@example.org'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('the server outgoing mail is handed to, for example smtps://user:password@mail.example.org')
    .meta(SECRET),
  INBOX_URL: httpUrl.describe(
    'the address of the application, to which notices lead, for example http://localhost:8082',
  ),
  NOTICE_GATHERING_SECONDS: wholeNumber(1)
    .default(120)
    .describe('how long new mail is gathered into one notice for those who want to hear of it, for example 120'),
  MAIL_KEPT_DAYS: daysKept(LEAST_KEPT_DAYS)
    .optional()
    .describe(
      'for how many days mail is kept, 7 to 20000, for example 730; with its attachments and the answers to it; unset, it is kept as long as its household',
    ),
  SENT_MAIL_KEPT_DAYS: daysKept(LEAST_KEPT_DAYS)
    .default(90)
    .describe('for how many days it is recorded that a mail was sent, 7 to 20000, for example 90'),
  OUTBOX_DIR: z
    .string()
    .default('.data/outbox')
    .describe('the folder outgoing mail is written to while SMTP_URL is not set, for example .data/outbox'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Turns the environment into this service's settings. Pure; throws ConfigError. */
export function environmentToConfig(env: Record<string, string | undefined>) {
  const values = parseSettings(settings, env)
  return {
    logLevel: values.LOG_LEVEL,
    host: values.GRPC_HOST,
    port: values.GRPC_PORT,
    reflection: values.GRPC_REFLECTION,
    grpcTlsDir: values.GRPC_TLS_DIR,
    serviceKey: values.SERVICE_KEY,
    serviceKeys: values.SERVICE_KEYS,
    mongodbUri: values.MONGODB_URI,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    natsUrl: values.NATS_URL,
    natsUnauthenticated: values.NATS_UNAUTHENTICATED,
    natsReplicas: values.NATS_REPLICAS,
    mailDomain: values.MAIL_DOMAIN,
    senderAddress: values.FAMILY_INBOX_SENDER_ADDRESS,
    smtpUrl: values.SMTP_URL,
    inboxUrl: values.INBOX_URL,
    gatherMs: values.NOTICE_GATHERING_SECONDS * 1000,
    mailKeptDays: values.MAIL_KEPT_DAYS,
    sentMailKeptDays: values.SENT_MAIL_KEPT_DAYS,
    outboxDir: values.OUTBOX_DIR,
    smtp: {
      host: values.SMTP_HOST,
      port: values.SMTP_PORT,
      maxConnections: values.SMTP_MAX_CONNECTIONS,
      maxConnectionsPerPeer: values.SMTP_MAX_CONNECTIONS_PER_PEER,
    },
  }
}
