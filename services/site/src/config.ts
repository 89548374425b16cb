import { baseConfig, baseSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  ConfigError,
  daysKept,
  type Environment,
  httpUrl,
  parseSettings,
  port,
  SECRET,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { reachableBy } from '@family-inbox/service-kit/http/loopback'
import { operatorPageSetting, publicSiteSetting, sandboxSetting } from '@family-inbox/workspace-kit/optional-parts'
import { SERVER_NAME } from '@family-inbox/workspace-kit/server-card'
import { signUpSetting } from '@family-inbox/workspace-kit/sign-up'
import { serverInfo } from '@family-inbox/workspace-kit/tool-catalogue'
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
  MCP_SERVER_NAME: z
    .string()
    .regex(SERVER_NAME, 'must be a reversed domain, a slash and a name')
    .default(serverInfo.name)
    .describe(
      'the name of the tool server in directories: a domain of yours, reversed, a slash and a name, for example com.example/family-inbox',
    ),
  SOURCE_URL: httpUrl
    .optional()
    .describe('where the source code of this installation is, for example https://code.example/family-inbox'),
  MCP_REGISTRY_AUTH: z
    .string()
    .optional()
    .describe(
      'what the MCP registry asks to prove the domain, served at /.well-known/mcp-registry-auth, for example v=MCPv1; k=ed25519; p=…',
    ),
  OPENAI_APPS_CHALLENGE: z
    .string()
    .optional()
    .describe(
      'the token that OpenAI asks to prove the domain, served at /.well-known/openai-apps-challenge, for example a1b2c3',
    ),
  OPERATOR_NAME: z
    .string()
    .optional()
    .describe(
      'who runs this installation, named on the privacy page, for example Almeida Family Office; required where others reach it',
    ),
  OPERATOR_CONTACT: z
    .email()
    .optional()
    .describe(
      'where people write about this installation, and about security, for example care@family-inbox.example; required where others reach it',
    ),
  OPERATOR_COUNTRY: z
    .string()
    .optional()
    .describe('the country whose law applies, for example Portugal; required where others reach it'),
  SIGN_UP: signUpSetting,
  TOOL_CALLS_PER_MINUTE: wholeNumber(1)
    .default(60)
    .describe('the limit of tool calls per minute that pages state, for example 60'),
  SANDBOX: sandboxSetting,
  PUBLIC_SITE: publicSiteSetting,
  OPERATOR_PAGE: operatorPageSetting,
  SANDBOX_BUCKET_CAPACITY: wholeNumber(1)
    .default(6)
    .describe('the number of sandboxes available at once that pages state, for example 6'),
  SANDBOX_REFILL_SECONDS: wholeNumber(1)
    .default(600)
    .describe('the seconds until one more sandbox becomes available, for example 600'),
  SANDBOX_TTL_HOURS: wholeNumber(1)
    .default(168)
    .describe('the hours an unclaimed sandbox is kept that pages state, for example 168'),
  REPLY_UNDO_SECONDS: wholeNumber(5)
    .max(30)
    .default(15)
    .describe('the seconds in which a sent reply can be taken back, 5 to 30, for example 15'),
  CALLS_KEPT_DAYS: daysKept(1)
    .default(365)
    .describe('the days recorded calls are kept that pages state, for example 365'),
  MAIL_KEPT_DAYS: daysKept(1).optional().describe('the days mail is kept that pages state, for example 730'),
  OUTBOX_DIR: z
    .string()
    .optional()
    .describe('for local development only: the folder with unsent mail, shown at /dev/mail, for example .data/outbox'),
  DOCTOR_URL: httpUrl
    .optional()
    .describe('set by npm start: where the operator’s page asks the doctor, for example http://127.0.0.1:9000'),
  DOCTOR_KEY: z
    .string()
    .optional()
    .describe('set by npm start: the key that the doctor asks for, for example q3Zx…')
    .meta(SECRET),
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
    serverName: values.MCP_SERVER_NAME,
    sourceUrl: values.SOURCE_URL,
    registryAuth: values.MCP_REGISTRY_AUTH,
    appsChallenge: values.OPENAI_APPS_CHALLENGE,
    operator: readOperator(values),
    signUp: values.SIGN_UP,
    hasSandbox: values.SANDBOX,
    hasPublicSite: values.PUBLIC_SITE,
    hasOperatorPage: values.OPERATOR_PAGE,
    limits: {
      callsPerMinute: values.TOOL_CALLS_PER_MINUTE,
      sandboxBucket: values.SANDBOX_BUCKET_CAPACITY,
      sandboxRefillSec: values.SANDBOX_REFILL_SECONDS,
      sandboxTtlHours: values.SANDBOX_TTL_HOURS,
      callsKeptDays: values.CALLS_KEPT_DAYS,
      mailKeptDays: values.MAIL_KEPT_DAYS,
    },
    replyUndoSec: values.REPLY_UNDO_SECONDS,
    outboxDir: values.OUTBOX_DIR,
    doctor: readDoctor(values),
    authAddress: values.AUTH_ADDRESS,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    inboxAddress: values.INBOX_ADDRESS,
    pipeAddress: values.PIPE_ADDRESS,
    sandboxAddress: values.SANDBOX_ADDRESS,
  }
}

/** Without one there is no operator's page. */
function readDoctor({ OPERATOR_PAGE, DOCTOR_URL: url, DOCTOR_KEY: key }: z.infer<typeof settings>) {
  return OPERATOR_PAGE && url !== undefined && key !== undefined ? { url, key } : undefined
}

export type Operator = { name: string; contact: string; country: string }

/** Whoever runs an installation that others reach is named on it. @throws ConfigError */
function readOperator(values: z.infer<typeof settings>): Operator | undefined {
  const { OPERATOR_NAME: name, OPERATOR_CONTACT: contact, OPERATOR_COUNTRY: country } = values
  if (name !== undefined && contact !== undefined && country !== undefined) return { name, contact, country }
  const { BASE_URL, API_URL, INBOX_URL } = values
  const reachable = reachableBy({ urls: { BASE_URL, API_URL, INBOX_URL }, hosts: {} })
  if (reachable === undefined) return undefined
  throw new ConfigError(
    `OPERATOR_NAME, OPERATOR_CONTACT or OPERATOR_COUNTRY is missing: ${reachable}, so others can reach this installation and must know who runs it. ` +
      'Set them, for example to Almeida Family Office, care@family-inbox.example and Portugal',
  )
}

/** Unsent mail contains sign-in codes, so it is shown on local installations only. */
function requireLocalInstallation({ BASE_URL, API_URL, INBOX_URL, HTTP_HOST }: z.infer<typeof settings>): void {
  const reachable = reachableBy({ urls: { BASE_URL, API_URL, INBOX_URL }, hosts: { HTTP_HOST } })
  if (reachable === undefined) return
  throw new ConfigError(
    `OUTBOX_DIR is wrong: ${reachable}, so others can reach this installation and could read sign-in codes at /dev/mail. ` +
      'Unset it and set SMTP_PROVIDER or SMTP_URL, for example smtps://user:password@mail.example.org',
  )
}
