import { baseConfig, baseSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  type Environment,
  httpUrl,
  parseSettings,
  port,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import type { TlsStep } from '@family-inbox/service-kit/config/tls-step'
import { operatorPageSetting, publicSiteSetting, sandboxSetting } from '@family-inbox/workspace-kit/optional-parts'
import { SERVER_NAME } from '@family-inbox/workspace-kit/server-card'
import { serverInfo } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'

export const settings = z.object({
  ...baseSettings,
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
  HTTP_HOST: z.string().default('0.0.0.0').describe('the address the gateway listens on, for example 127.0.0.1'),
  HTTP_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with tls.crt and tls.key, for serving HTTPS directly, for example /run/https; leave unset behind a proxy that terminates TLS',
    ),
  PORT: port
    .optional()
    .describe(
      'one port for all three addresses, distinguished by the Host header, for example 8080; when unset, each address uses its own port',
    ),
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
    .describe(
      'more web origins allowed to call the tool server, separated by commas, for example https://tools.example',
    ),
  TRUSTED_PROXIES: wholeNumber(0)
    .default(0)
    .describe('how many trusted proxies in front of the gateway append to X-Forwarded-For, for example 1'),
  HTTP_MAX_CONNECTIONS_PER_PEER: wholeNumber(1)
    .default(128)
    .describe(
      'the most open connections from one client address when there is no trusted proxy, for example 128; an IPv6 /64 network counts as one address',
    ),
  AUTH_ADDRESS: address('auth'),
  AUTH_HTTP_ADDRESS: httpUrl
    .default('http://auth:8080')
    .describe(
      'the address of auth for OAuth over HTTP, or HTTPS when GRPC_TLS_DIR is set, for example http://auth:8080',
    ),
  SITE_HTTP_ADDRESS: httpUrl
    .default('http://site:8080')
    .describe('the address of the site over HTTP, or HTTPS when GRPC_TLS_DIR is set, for example http://site:8080'),
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  INBOX_ADDRESS: address('inbox'),
  SANDBOX_ADDRESS: address('sandbox'),
  PIPE_ADDRESS: address('pipe'),
  SANDBOX: sandboxSetting,
  PUBLIC_SITE: publicSiteSetting,
  OPERATOR_PAGE: operatorPageSetting,
  SANDBOX_BUCKET_CAPACITY: wholeNumber(1)
    .default(6)
    .describe('the limit that the public description shows; use the sandbox service’s value, for example 6'),
  SANDBOX_REFILL_SECONDS: wholeNumber(1)
    .default(600)
    .describe('the refill time that the public description shows; use the sandbox service’s value, for example 600'),
  STALLED_DOWNLOAD_SECONDS: wholeNumber(20)
    .default(60)
    .describe('the seconds a download may stall before it is cut off, 20 or more, for example 60'),
})

export type Config = ReturnType<typeof environmentToConfig>

export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  return {
    ...baseConfig(values),
    urls: { base: values.BASE_URL, api: values.API_URL, inbox: values.INBOX_URL },
    serverName: values.MCP_SERVER_NAME,
    sourceUrl: values.SOURCE_URL,
    host: values.HTTP_HOST,
    port: values.PORT,
    tlsDir: values.HTTP_TLS_DIR,
    allowedOrigins: values.ALLOWED_ORIGINS,
    trustedProxies: values.TRUSTED_PROXIES,
    // All connections through a proxy share its address.
    maxConnectionsPerPeer: values.TRUSTED_PROXIES === 0 ? values.HTTP_MAX_CONNECTIONS_PER_PEER : undefined,
    authHttpAddress: addressInStep(values.AUTH_HTTP_ADDRESS, values.TLS_STEP),
    siteHttpAddress: addressInStep(values.SITE_HTTP_ADDRESS, values.TLS_STEP),
    authAddress: values.AUTH_ADDRESS,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    inboxAddress: values.INBOX_ADDRESS,
    sandboxAddress: values.SANDBOX_ADDRESS,
    pipeAddress: values.PIPE_ADDRESS,
    stalledDownloadMs: values.STALLED_DOWNLOAD_SECONDS * 1000,
    hasSandbox: values.SANDBOX,
    hasPublicSite: values.PUBLIC_SITE,
    hasOperatorPage: values.OPERATOR_PAGE,
    sandboxBucket: { capacity: values.SANDBOX_BUCKET_CAPACITY, refillSeconds: values.SANDBOX_REFILL_SECONDS },
  }
}

/** While TLS is introduced, some replicas that are asked still serve HTTP alone. */
function addressInStep(url: string, step: TlsStep | undefined): string {
  return step === 'introduce' ? url.replace(/^https:/, 'http:') : url
}
