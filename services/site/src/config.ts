import { baseConfig, baseSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  ConfigError,
  daysKept,
  type Environment,
  httpUrl,
  parseSettings,
  port,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { reachableBy } from '@family-inbox/service-kit/http/loopback'
import { z } from 'zod'

export const settings = z.object({
  ...baseSettings,
  HTTP_HOST: z.string().default('0.0.0.0').describe('the address the site listens on, for example 127.0.0.1'),
  HTTP_PORT: port.default(8080).describe('the port the site listens on, for example 8080'),
  BASE_URL: httpUrl
    .default('http://localhost:8080')
    .describe('the public address of the site, for example https://family-inbox.example'),
  API_URL: httpUrl
    .default('http://localhost:8081')
    .describe('the public address of the tool server, for example https://api.family-inbox.example'),
  INBOX_URL: httpUrl
    .default('http://localhost:8082')
    .describe('the public address of the application, for example https://inbox.family-inbox.example'),
  TOOL_CALLS_PER_MINUTE: wholeNumber(1)
    .default(60)
    .describe('the limit of tool calls per minute that pages state, for example 60'),
  SANDBOX_BUCKET_CAPACITY: wholeNumber(1)
    .default(6)
    .describe('the number of sandboxes available at once that pages state, for example 6'),
  SANDBOX_REFILL_SECONDS: wholeNumber(1)
    .default(600)
    .describe('the seconds until one more sandbox becomes available, for example 600'),
  SANDBOX_TTL_HOURS: wholeNumber(1)
    .default(168)
    .describe('the hours an unclaimed sandbox is kept that pages state, for example 168'),
  CALLS_KEPT_DAYS: daysKept(1)
    .default(365)
    .describe('the days recorded calls are kept that pages state, for example 365'),
  MAIL_KEPT_DAYS: daysKept(1).optional().describe('the days mail is kept that pages state, for example 730'),
  OUTBOX_DIR: z
    .string()
    .optional()
    .describe('for local development only: the folder with unsent mail, shown at /dev/mail, for example .data/outbox'),
  AUTH_ADDRESS: address('auth'),
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  INBOX_ADDRESS: address('inbox'),
  PIPE_ADDRESS: address('pipe'),
  SANDBOX_ADDRESS: address('sandbox'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** @throws ConfigError */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  if (values.OUTBOX_DIR !== undefined) requireLocalInstallation(values)
  return {
    ...baseConfig(values),
    host: values.HTTP_HOST,
    port: values.HTTP_PORT,
    urls: { base: values.BASE_URL, api: values.API_URL, inbox: values.INBOX_URL },
    limits: {
      callsPerMinute: values.TOOL_CALLS_PER_MINUTE,
      sandboxBucket: values.SANDBOX_BUCKET_CAPACITY,
      sandboxRefillSec: values.SANDBOX_REFILL_SECONDS,
      sandboxTtlHours: values.SANDBOX_TTL_HOURS,
      callsKeptDays: values.CALLS_KEPT_DAYS,
      mailKeptDays: values.MAIL_KEPT_DAYS,
    },
    outboxDir: values.OUTBOX_DIR,
    authAddress: values.AUTH_ADDRESS,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    inboxAddress: values.INBOX_ADDRESS,
    pipeAddress: values.PIPE_ADDRESS,
    sandboxAddress: values.SANDBOX_ADDRESS,
  }
}

/** Unsent mail contains sign-in codes, so it is shown on local installations only. */
function requireLocalInstallation({ BASE_URL, API_URL, INBOX_URL, HTTP_HOST }: z.infer<typeof settings>): void {
  const reachable = reachableBy({ urls: { BASE_URL, API_URL, INBOX_URL }, hosts: { HTTP_HOST } })
  if (reachable === undefined) return
  throw new ConfigError(
    `OUTBOX_DIR is wrong: ${reachable}, so others can reach this installation and could read sign-in codes at /dev/mail. ` +
      'Unset it and set SMTP_URL, for example smtps://user:password@mail.example.org',
  )
}
