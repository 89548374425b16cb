import type { EventEmitter } from 'node:events'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { mcpResources } from '../admission/resource.ts'
import type { Context } from '../context.ts'
import { PROTOCOL_SCOPES, SCOPES } from '../scopes.ts'
import { adapterFor } from './adapter.ts'
import { allowClientDocument, fetchClientDocument } from './client-document.ts'
import { findSignedInPerson } from './drop-stale-session.ts'
import { RETRY_LATER, renderError } from './errors.ts'
import { type Metadata, normalizeRegistration } from './normalize-registration.ts'
import { isClientSecret } from './record-adapter.ts'
import type { RedirectSchemes } from './redirect-uris.ts'

const AUTHORIZE = '/oauth/authorize'

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
/** Lifetimes in seconds. A refresh token's restarts with each use; a grant's does not. */
const TTL = {
  AccessToken: 60 * MINUTE,
  AuthorizationCode: MINUTE,
  RefreshToken: 30 * DAY,
  Grant: 365 * DAY,
  IdToken: 60 * MINUTE,
  Interaction: 60 * MINUTE,
  Session: 30 * DAY,
} as const
const ID_TOKEN_ALG = { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' } as const

/** OAuth 2.1, RFC 8414, RFC 7591, RFC 7009, RFC 8707 and RFC 9207, by oidc-provider with safer settings. */
export function createProvider(ctx: Context): Provider {
  const provider = new Provider(ctx.config.urls.inbox, toConfiguration(ctx))
  provider.proxy = true // pinAddress sets the headers it reads; the caller cannot
  provider.Client.prototype.compareClientSecret = function (secret) {
    return isClientSecret(this.clientSecret, secret)
  }
  normalizeBeforeSecretCheck(provider, ctx.config.redirectSchemes)
  returnErrorsToTrusted(ctx, provider)
  const report = (error: unknown) => ctx.logger.error(describeError(error), 'oauth: unexpected error')
  provider.on('server_error', (koa, error) => {
    report(error)
    answerRetryLater(koa)
  })
  const koa: EventEmitter = provider
  koa.on('error', report) // without a listener, Koa prints the message, which may quote the request
  return provider
}

/** oidc-provider calls `needsSecret` before it validates the metadata. */
function normalizeBeforeSecretCheck({ Client }: Provider, schemes: RedirectSchemes): void {
  const { needsSecret } = Client as unknown as { needsSecret: (metadata: Metadata) => boolean }
  Object.assign(Client, {
    needsSecret(metadata: Metadata) {
      const checked = { ...metadata }
      normalizeRegistration(checked, schemes)
      return needsSecret.call(Client, checked)
    },
  })
}

/** Answers 503 for our own failures, usually a database outage. Clients do not retry a 500. */
function answerRetryLater(koa: KoaContextWithOIDC): void {
  const body: unknown = koa.body
  koa.status = 503
  if (typeof body === 'object' && body !== null) koa.body = RETRY_LATER
}

function toConfiguration(ctx: Context): Configuration {
  const { jwks, cookieKeys, urls, redirectSchemes } = ctx.config
  return {
    adapter: adapterFor(ctx),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
      end_session: '/oauth/session/end',
    },
    scopes: [...PROTOCOL_SCOPES, ...SCOPES],
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: ID_TOKEN_ALG[jwks.keys[0].kty],
    },
    enabledJWA: { idTokenSigningAlgValues: [...new Set(jwks.keys.map(({ kty }) => ID_TOKEN_ALG[kty]))] },
    pkce: { required: () => true },
    jwks,
    cookies: {
      keys: [...cookieKeys],
      long: { httpOnly: true, sameSite: 'lax', path: '/oauth' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    ttl: TTL,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    extraClientMetadata: {
      properties: ['software_id'],
      validator: (_ctx, _name, _value, metadata) => normalizeRegistration(metadata as Metadata, redirectSchemes),
    },
    findAccount: async (_ctx, personId) => findAccount(ctx, personId),
    interactions: { url: (_ctx, interaction) => `/consent/${interaction.uid}` },
    loadExistingGrant,
    clientBasedCORS: () => true, // tokens are not in cookies
    renderError,
    fetch: (url) => fetchClientDocument(ctx, url),
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (koa?: KoaContextWithOIDC) => allowClientDocument(ctx, koa?.req.headers),
        cacheDuration: { min: 10 * 60, max: DAY_SEC },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? mcpResources(urls)[0],
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => toResourceServer(mcpResources(urls), resource),
      },
    },
  }
}

function toResourceServer(resources: readonly string[], resource: string) {
  if (!resources.includes(resource)) throw new errors.InvalidTarget()
  return {
    scope: [...SCOPES].join(' '),
    audience: resource,
    accessTokenTTL: TTL.AccessToken,
    accessTokenFormat: 'opaque' as const,
  }
}

async function findAccount(ctx: Context, personId: string) {
  const person = await ctx.people.exists({ _id: personId })
  return person === null ? undefined : { accountId: personId, claims: () => ({ sub: personId }) }
}

/** Asks again for what was once refused, so that a person can tick it; refusals of the current decision stay. */
const loadExistingGrant: NonNullable<Configuration['loadExistingGrant']> = async ({ oidc }) => {
  const decided = oidc.result?.consent?.grantId
  const grantId = decided ?? oidc.session?.grantIdFor(oidc.client?.clientId ?? '')
  const grant = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId)
  if (grant !== undefined && decided === undefined) grant.rejected = undefined
  return grant
}

/** Connected or decided clients only: others could use us as an open redirector (RFC 9700 section 4.11.2). */
function returnErrorsToTrusted(ctx: Context, provider: Provider): void {
  const trusted = new WeakSet<object>()
  provider.use(async (koa, next) => {
    if (koa.path === AUTHORIZE && (await isConnected(ctx, koa))) trusted.add(koa.req)
    await next()
  })
  provider.on('authorization.error', (koa, error) => {
    const isDecided = koa.oidc.route === 'resume' && koa.oidc.entities.Interaction?.result !== undefined
    if (!isDecided && !trusted.has(koa.req)) Object.assign(error, { allow_redirect: false })
  })
}

async function isConnected(ctx: Context, koa: Pick<KoaContextWithOIDC, 'req' | 'query'>): Promise<boolean> {
  const { client_id: clientId } = koa.query
  if (typeof clientId !== 'string') return false
  const personId = await findSignedInPerson(ctx, koa.req)
  if (personId === undefined) return false
  const live = { personId, clientId, workspaceId: { $ne: '' }, revokedAt: null, expiresAt: { $gt: new Date() } }
  return (await ctx.grants.exists(live)) !== null
}
