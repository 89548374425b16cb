import { resolve } from 'node:path'
import { ConfigError, httpUrl, parseSettings, port } from '@family-inbox/service-kit/config/config'
import { isLoopbackUrl, mailServerMissing, reachableBy } from '@family-inbox/service-kit/http/loopback'
import { operatorPageSetting, publicSiteSetting } from '@family-inbox/workspace-kit/optional-parts'
import { z } from 'zod'

export type Env = Readonly<Record<string, string | undefined>>

const publicPort = port.min(1)

export const settings = z.object({
  BASE_URL: httpUrl
    .default('http://localhost:8080')
    .describe('the address of the site, for example http://localhost:8080'),
  API_URL: httpUrl
    .default('http://localhost:8081')
    .describe('the address of the tool server, for example http://localhost:8081'),
  INBOX_URL: httpUrl
    .default('http://localhost:8082')
    .describe('the address of the application, for example http://localhost:8082'),
  PORT: publicPort.optional().describe('one port for all three addresses, for example 8080'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('the address to listen on for HTTP, for example 127.0.0.1'),
  SMTP_HOST: z.string().default('127.0.0.1').describe('the address to listen on for mail, for example 127.0.0.1'),
  SMTP_PORT: publicPort.default(2525).describe('the port of inbound mail, for example 2525'),
  MAIL_DOMAIN: z
    .string()
    .default('family-inbox.test')
    .describe('the domain of inbox addresses, for example family-inbox.test'),
  PROCESSES: z
    .enum(['seven', 'single'])
    .default('seven')
    .describe('how many Node.js processes run the services: seven or single, for example single'),
  PUBLIC_SITE: publicSiteSetting,
  OPERATOR_PAGE: operatorPageSetting
    .unwrap()
    .optional()
    .describe(operatorPageSetting.description ?? ''),
  BACKUPS: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      'whether an encrypted backup is made every night: on or off, for example on; default: on where others reach an address',
    ),
  DATA_DIR: z.string().default('.data').describe('the folder for all data, for example .data'),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Parses the environment. Pure. @throws ConfigError */
export function environmentToConfig(env: Env) {
  const values = parseSettings(settings, env)
  const dataDir = resolve(values.DATA_DIR)
  const hasMailServer = Boolean(env.SMTP_URL || env.SMTP_PROVIDER)
  if (!hasMailServer) requireLoopback(values)
  const outboxDir = hasMailServer ? undefined : resolve(dataDir, 'outbox')
  const urls = { base: values.BASE_URL, api: values.API_URL, inbox: values.INBOX_URL }
  const isPublic = !Object.values(urls).every(isLoopbackUrl)
  const hasOperatorPage = values.OPERATOR_PAGE ?? isPublic
  const httpPorts = values.PORT
    ? [{ setting: 'PORT', port: values.PORT }]
    : [
        { setting: 'BASE_URL', port: portOf(urls.base) },
        { setting: 'API_URL', port: portOf(urls.api) },
        { setting: 'INBOX_URL', port: portOf(urls.inbox) },
      ]
  return {
    env: {
      ...env,
      ...signUpOf(env, isPublic),
      ...filledIn({ ...values, OPERATOR_PAGE: hasOperatorPage }),
      OUTBOX_DIR: outboxDir,
    } satisfies Env,
    isPublic,
    hasPublicSite: values.PUBLIC_SITE,
    hasOperatorPage,
    hasBackups: (values.BACKUPS ?? (isPublic ? 'on' : 'off')) === 'on',
    outboxDir,
    dataDir,
    processes: values.PROCESSES,
    urls,
    mailDomain: values.MAIL_DOMAIN,
    smtpPort: values.SMTP_PORT,
    publicPorts: [...httpPorts, { setting: 'SMTP_PORT', port: values.SMTP_PORT }],
    healthPort: values.PORT ?? portOf(urls.base),
    isHttps: Boolean(env.HTTP_TLS_DIR),
    grpcTlsDir: env.GRPC_TLS_DIR,
  }
}

/** Where strangers come by, they join by invitation unless the operator decided otherwise. */
function signUpOf(env: Env, isPublic: boolean): Env {
  return isPublic && !env.SIGN_UP && !env.SIGN_UP_FILE ? { SIGN_UP: 'invited' } : {}
}

/** Without a mail server, anyone who reaches this machine could read sign-in codes at /dev/mail. */
function requireLoopback(values: z.infer<typeof settings>): void {
  const { BASE_URL, API_URL, INBOX_URL, HTTP_HOST, SMTP_HOST } = values
  const reachable = reachableBy({ urls: { BASE_URL, API_URL, INBOX_URL }, hosts: { HTTP_HOST, SMTP_HOST } })
  if (reachable !== undefined) throw new ConfigError(mailServerMissing(reachable))
}

function filledIn(values: Record<string, unknown>): Record<string, string> {
  const set = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]))
}

function portOf(url: string): number {
  const { port: written, protocol } = new URL(url)
  return Number(written) || (protocol === 'https:' ? 443 : 80)
}
