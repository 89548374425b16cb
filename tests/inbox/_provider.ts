import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { randomText } from '@family-inbox/service-kit/ids/ids'

/** Stands for Google's or Microsoft's authorization server: each request for access is allowed. */
export type Provider = AsyncDisposable & {
  /** For MAILBOX_OAUTH_CLIENTS. */
  client: { clientId: string; clientSecret: string; authorizationEndpoint: string; tokenEndpoint: string }
  introspectionUrl: string
  /** Takes back what an account allowed. */
  revoke(userName: string): void
  /** How many access tokens an account's refresh tokens gave. */
  refreshed(userName: string): number
  /** All that are good now. */
  tokens(): string[]
}

type Asked = { userName: string; challenge: string; redirectUri: string }

export async function startProvider(): Promise<Provider> {
  const [clientId, clientSecret] = ['family-care-inbox', randomText(20)]
  const codes = new Map<string, Asked>()
  const refreshTokens = new Map<string, string>()
  const accessTokens = new Map<string, string>()
  const counts = new Map<string, number>()

  /** Each refresh token is good once: the next one takes its place. */
  function tokensFor(userName: string) {
    const [access_token, refresh_token] = [randomText(30), randomText(30)]
    accessTokens.set(access_token, userName)
    refreshTokens.set(refresh_token, userName)
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: 3600 }
  }

  function redeem(form: URLSearchParams): object | undefined {
    const field = (name: string) => form.get(name) ?? ''
    if (field('client_id') !== clientId || field('client_secret') !== clientSecret) return undefined
    if (field('grant_type') === 'refresh_token') {
      const userName = refreshTokens.get(field('refresh_token'))
      if (userName === undefined) return undefined
      refreshTokens.delete(field('refresh_token'))
      counts.set(userName, (counts.get(userName) ?? 0) + 1)
      return tokensFor(userName)
    }
    const asked = codes.get(field('code'))
    codes.delete(field('code'))
    const challenge = createHash('sha256').update(field('code_verifier')).digest('base64url')
    if (asked?.challenge !== challenge || asked.redirectUri !== field('redirect_uri')) return undefined
    return tokensFor(asked.userName)
  }

  function authorize(query: URLSearchParams): string {
    const field = (name: string) => query.get(name) ?? ''
    const code = randomText(20)
    const redirectUri = field('redirect_uri')
    codes.set(code, { userName: field('login_hint'), challenge: field('code_challenge'), redirectUri })
    return `${redirectUri}?${new URLSearchParams({ code, state: field('state') })}`
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; location?: string; json?: object }> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/authorize') return { status: 302, location: authorize(searchParams) }
    const form = new URLSearchParams(await text(request))
    if (pathname === '/token') {
      const json = redeem(form)
      return json === undefined ? { status: 400, json: { error: 'invalid_grant' } } : { status: 200, json }
    }
    const username = accessTokens.get(form.get('token') ?? '')
    return { status: 200, json: { active: username !== undefined, username } }
  }

  const server = createServer(async (request, response) => {
    const { status, location, json = {} } = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
    response.end(JSON.stringify(json))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    client: { clientId, clientSecret, authorizationEndpoint: `${origin}/authorize`, tokenEndpoint: `${origin}/token` },
    introspectionUrl: `${origin}/introspect`,
    revoke(userName) {
      for (const tokens of [refreshTokens, accessTokens])
        for (const [token, whose] of tokens) if (whose === userName) tokens.delete(token)
    },
    refreshed: (userName) => counts.get(userName) ?? 0,
    tokens: () => [...refreshTokens.keys(), ...accessTokens.keys()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
