import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  ConfigError,
  httpUrl,
  parseSettings,
  port,
  readEnvironment,
} from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

/** Where the running services are, and the operator's key. */
export type Target = {
  addresses: { auth: string; 'care-circle': string; inbox: string; pipe: string }
  apiUrl: string
  smtp: { host: string; port: number }
  /** The operator's private key and all public keys. */
  serviceKey: unknown
  serviceKeys: unknown
  /** For mutual TLS. */
  tlsDir?: string
  /** Each certificate names its service, as on a cluster. Otherwise it names the host of the address. */
  certificatesNameServices?: boolean
}

/** For services that `npm start` does not run. */
export const settings = z.object({
  AUTH_ADDRESS: address('auth'),
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  INBOX_ADDRESS: address('inbox'),
  PIPE_ADDRESS: address('pipe'),
  API_URL: httpUrl
    .default('http://localhost:8081')
    .describe('the address partners post events to, for example https://api.family-inbox.example'),
  SMTP_HOST: z.string().default('127.0.0.1').describe('the host that accepts inbound mail, for example 127.0.0.1'),
  SMTP_PORT: port.default(2525).describe('the port of inbound mail, for example 2525'),
  GRPC_TLS_DIR: baseSettings.GRPC_TLS_DIR,
  SERVICE_KEY: baseSettings.SERVICE_KEY,
  SERVICE_KEYS: baseSettings.SERVICE_KEYS,
})

/** The services in the environment, else those of `npm start` on this machine. Throws ConfigError. */
export function findTarget(env = readEnvironment()): Target {
  if (env.AUTH_ADDRESS === undefined) return findLocalTarget(env)
  const values = parseSettings(settings, env)
  return {
    addresses: {
      auth: values.AUTH_ADDRESS,
      'care-circle': values.CARE_CIRCLE_ADDRESS,
      inbox: values.INBOX_ADDRESS,
      pipe: values.PIPE_ADDRESS,
    },
    apiUrl: values.API_URL,
    smtp: { host: values.SMTP_HOST, port: values.SMTP_PORT },
    serviceKey: values.SERVICE_KEY,
    serviceKeys: values.SERVICE_KEYS,
    tlsDir: values.GRPC_TLS_DIR,
    // A forwarded port is at 127.0.0.1, which no certificate names.
    certificatesNameServices: true,
  }
}

function findLocalTarget({ DATA_DIR = '.data' }: Record<string, string | undefined>): Target {
  const file = join(DATA_DIR, 'stack.json')
  if (!existsSync(file)) throw new ConfigError(NOT_RUNNING)
  return JSON.parse(readFileSync(file, 'utf8')) as Target
}

const NOT_RUNNING =
  'No running services found. Run npm start first, or set AUTH_ADDRESS, CARE_CIRCLE_ADDRESS, INBOX_ADDRESS, PIPE_ADDRESS, SERVICE_KEY and SERVICE_KEYS.'
