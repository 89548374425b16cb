import { createPrivateKey, type JsonWebKey } from 'node:crypto'
import { backendConfig, backendSettings } from '@family-inbox/service-kit/config/base-config'
import {
  address,
  daysKept,
  type Environment,
  httpUrl,
  json,
  parseSettings,
  port,
  SECRET,
  wholeNumber,
} from '@family-inbox/service-kit/config/config'
import { deriveKey } from '@family-inbox/service-kit/config/derive-key'
import { operatorPageSetting } from '@family-inbox/workspace-kit/optional-parts'
import { signUpSetting } from '@family-inbox/workspace-kit/sign-up'
import { z } from 'zod'

const signingKey = z.looseObject({ kty: z.enum(['RSA', 'EC', 'OKP']) }).refine(isPrivateKey)
const signingKeys = json.pipe(z.object({ keys: z.tuple([signingKey]).rest(signingKey) }))
const keyList = json.pipe(z.tuple([z.string().min(32)]).rest(z.string().min(32)))

export const settings = z.object({
  ...backendSettings,
  API_URL: httpUrl
    .default('http://localhost:8081')
    .describe('the public address of the tool server, for example https://api.family-inbox.example'),
  INBOX_URL: httpUrl
    .default('http://localhost:8082')
    .describe('the public address of the web app, for example https://inbox.family-inbox.example'),
  HTTP_HOST: z.string().default('0.0.0.0').describe('the address OAuth listens on for HTTP, for example 127.0.0.1'),
  HTTP_PORT: port.default(8080).describe('the port OAuth listens on for HTTP, for example 8080'),
  OIDC_JWKS: signingKeys
    .describe(
      'the private keys that sign id tokens: a JSON Web Key Set of RSA, P-256 or Ed25519 keys, the first of which signs, for example {"keys":[{"kty":"OKP","crv":"Ed25519","d":"…","x":"…","kid":"1"}]}',
    )
    .meta(SECRET),
  OIDC_COOKIE_KEYS: keyList
    .describe(
      'the secrets that sign OAuth cookies: a JSON list of strings of at least 32 characters; the first one signs, all verify, for example ["…"]',
    )
    .meta(SECRET),
  CARE_CIRCLE_ADDRESS: address('care-circle'),
  SIGN_UP: signUpSetting,
  OPERATOR_PAGE: operatorPageSetting,
  TOOL_CALLS_PER_MINUTE: wholeNumber(1)
    .default(60)
    .describe('the most calls a credential may make in any 60 seconds, for example 60; above 1000 there is no limit'),
  TOOL_KEY_SCOPES_ENFORCED: z
    .stringbool()
    .default(false)
    .describe('whether tool keys created with scopes are limited to them: true or false, for example true'),
  CALLS_KEPT_DAYS: daysKept(1)
    .default(365)
    .describe('how many days the activity of assistants and people is kept, 1 to 20000, for example 365'),
  REGISTRATIONS_PER_HOUR: wholeNumber(1)
    .default(300)
    .describe(
      'the most apps that may register from one network per hour, for example 300; above 1000 there is no limit',
    ),
  SIGN_IN_CODES_PER_NETWORK: wholeNumber(1)
    .default(60)
    .describe(
      'the most sign-in codes requested from one network in 15 minutes, and about eight times as many a day, for example 60; above 1000 there is no limit',
    ),
  OAUTH_REQUESTS_PER_MINUTE: wholeNumber(1)
    .default(300)
    .describe(
      'the most authorization requests, and the most token requests, from one network per minute, for example 300; above 1000 there is no limit',
    ),
  OAUTH_REDIRECT_SCHEMES: z
    .string()
    .regex(/^(?:-?[a-z][a-z0-9+.-]*(?: |$))*$/, 'must be names of schemes with a space between them')
    .default('')
    .transform(readSchemes)
    .describe(
      'schemes of apps that may get the code of a sign-in besides those the rule accepts, and with a minus those that may not, for example acme-notes -warp',
    ),
  CLIENT_DOCUMENTS_FROM_PRIVATE_NETWORKS: z
    .stringbool()
    .default(false)
    .describe(
      'whether client-id metadata documents may come from private addresses, for tests only: true or false, for example false',
    ),
})

export type Config = ReturnType<typeof environmentToConfig>

/** Parses the environment into settings. Pure. @throws ConfigError */
export function environmentToConfig(env: Environment) {
  const values = parseSettings(settings, env)
  return {
    ...backendConfig(values),
    // Independent of the cookie keys, so rotating those does not reset the limits.
    limitKey: deriveKey('limits', values.SERVICE_KEY),
    toolKeyDerivationKey: deriveKey('tool keys', values.SERVICE_KEY),
    deviceKey: deriveKey('known devices', values.SERVICE_KEY),
    networkKey: deriveKey('assistant networks', values.SERVICE_KEY),
    reviewKey: deriveKey('review codes', values.SERVICE_KEY),
    ceremonyKey: deriveKey('passkey ceremonies', values.SERVICE_KEY),
    urls: { api: values.API_URL, inbox: values.INBOX_URL },
    httpHost: values.HTTP_HOST,
    httpPort: values.HTTP_PORT,
    jwks: values.OIDC_JWKS,
    cookieKeys: values.OIDC_COOKIE_KEYS,
    careCircleAddress: values.CARE_CIRCLE_ADDRESS,
    signUp: values.SIGN_UP,
    hasOperatorPage: values.OPERATOR_PAGE,
    callsPerMinute: values.TOOL_CALLS_PER_MINUTE,
    toolKeyScopesEnforced: values.TOOL_KEY_SCOPES_ENFORCED,
    callsKeptDays: values.CALLS_KEPT_DAYS,
    registrationsPerHour: values.REGISTRATIONS_PER_HOUR,
    codesPerNetwork: values.SIGN_IN_CODES_PER_NETWORK,
    oauthRequestsPerMinute: values.OAUTH_REQUESTS_PER_MINUTE,
    redirectSchemes: values.OAUTH_REDIRECT_SCHEMES,
    clientDocumentsFromPrivateNetworks: values.CLIENT_DOCUMENTS_FROM_PRIVATE_NETWORKS,
  }
}

function readSchemes(words: string) {
  const all = words.split(' ').filter((word) => word !== '')
  const isRefused = (word: string) => word.startsWith('-')
  return {
    accepted: new Set(all.filter((word) => !isRefused(word))),
    refused: new Set(all.filter(isRefused).map((word) => word.slice(1))),
  }
}

function isPrivateKey(key: JsonWebKey): boolean {
  try {
    return createPrivateKey({ key, format: 'jwk' }).type === 'private'
  } catch {
    return false
  }
}
