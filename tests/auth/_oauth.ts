import { createHash, randomBytes } from 'node:crypto'
import { type AuthenticateResult, CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Answer, send } from '../_family.ts'
import type { AuthStack } from './_auth.ts'
import type { Member, SignedIn } from './_people.ts'

/** A public client with one web address, as hosted assistants register. */
export const WEB_CLIENT = {
  client_name: 'Claude',
  redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

export type Client = { client_id: string; client_secret?: string; redirect_uris: string[] }

let callers = 0

/** Sends a request the way the gateway forwards it. */
export function toAuth(s: AuthStack, path: string, options: Parameters<typeof send>[1] = {}): Promise<Answer> {
  callers += 1
  const forwarded = { 'x-forwarded-for': `203.0.${callers >> 8}.${callers & 255}` }
  return send(new URL(path, s.httpUrl).href, { ...options, headers: { ...forwarded, ...options.headers } })
}

export function register(s: AuthStack, metadata: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return toAuth(s, '/oauth/register', { method: 'POST', headers, body: JSON.stringify(metadata) })
}

export async function registered(s: AuthStack, metadata: object = WEB_CLIENT): Promise<Client> {
  const answer = await register(s, metadata)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.json
}

/** A browser's cookies, by the rules of RFC 6265 that matter here: name, path and expiry. */
export class Browser {
  #s: AuthStack
  readonly #cookies = new Map<string, { value: string; path: string }>()

  constructor(s: AuthStack, person?: SignedIn) {
    this.#s = s
    if (person) this.signIn(person)
  }

  /** The same browser with another replica answering. */
  through(s: AuthStack): this {
    this.#s = s
    return this
  }

  signIn(person: SignedIn): void {
    this.#cookies.set('family_session', { value: person.session, path: '/' })
  }

  /** The Cookie header for a path. */
  cookieFor(path: string): string {
    const sent = [...this.#cookies].filter(([, { path: scope }]) => path === scope || path.startsWith(scope))
    return sent.map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ')
  }

  async get(address: string): Promise<Answer> {
    const { pathname, search } = new URL(address, this.#s.httpUrl)
    const answer = await toAuth(this.#s, pathname + search, {
      headers: { cookie: this.cookieFor(pathname), accept: 'text/html' },
    })
    for (const cookie of answer.headers['set-cookie'] ?? []) this.#keep(cookie)
    return answer
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ')
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice(5) ?? '/'
    const value = pair.slice(name.length + 1)
    // Cookies with the same name and different paths are separate.
    if (value === '') this.#cookies.delete(`${name} ${path}`)
    else this.#cookies.set(`${name} ${path}`, { value, path })
  }
}

export type Pkce = { verifier: string; challenge: string }

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The address an app redirects the browser to. */
export function authorizeUrl(client: Client, pkce: Pkce, more: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uris[0],
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `/oauth/authorize?${query}`
}

/** The id in the address of the consent page. */
export function interactionIn(answer: Answer): string {
  return /^\/consent\/([\w-]+)$/.exec(answer.headers.location ?? '')?.[1] ?? ''
}

export type Decision = { allow?: boolean; scopes?: string[]; workspaceId?: string }

export const ALL_SCOPES = ['profile:read', 'care_circle:read', 'care_circle:write']

/** Sends the form of the consent page, and follows the redirect back to OAuth. */
export async function decide(
  s: AuthStack,
  browser: Browser,
  person: Member,
  interactionId: string,
  { allow = true, scopes = ALL_SCOPES, workspaceId = person.workspaceId }: Decision = {},
): Promise<Answer> {
  browser.signIn(person)
  const form: [string, string][] = [
    ...scopes.map((scope): [string, string] => ['scope', scope]),
    ['workspace', workspaceId],
    ['decision', allow ? 'allow' : 'deny'],
  ]
  const path = `/consent/${interactionId}`
  const answer = await sendConsent(s, path, browser.cookieFor(path), form)
  const next = answer.headers.location ?? ''
  return next.includes('/oauth/authorize/') ? browser.get(next) : answer
}

/** The form of the consent page, sent from our own page or with these headers. */
export function sendConsent(
  s: AuthStack,
  path: string,
  cookie: string,
  form: [string, string][],
  headers: Record<string, string> = { origin: s.stack.inboxUrl },
): Promise<Answer> {
  const type = 'application/x-www-form-urlencoded'
  const sent = { cookie, accept: 'text/html', 'content-type': type, ...headers }
  return toAuth(s, path, { method: 'POST', headers: sent, body: new URLSearchParams(form).toString() })
}

/** The parameters of the redirect to the app. */
export function callbackOf(answer: Answer): URLSearchParams {
  return new URL(answer.headers.location ?? '', 'none://nowhere').searchParams
}

/** All steps up to the code. */
export async function getCode(
  s: AuthStack,
  person: Member,
  client: Client,
  pkce: Pkce,
  more: Record<string, string | undefined> = {},
  how: Decision = {},
): Promise<string> {
  const browser = new Browser(s, person)
  const answer = await browser.get(authorizeUrl(client, pkce, more))
  const code = callbackOf(await decide(s, browser, person, interactionIn(answer), how)).get('code')
  if (code === null) throw new Error('no code came back')
  return code
}

export function requestToken(
  s: AuthStack,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value)
  return toAuth(s, '/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: body.toString(),
  })
}

export function redeem(s: AuthStack, client: Client, code: string, pkce: Pkce, more: object = {}): Promise<Answer> {
  return requestToken(s, {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    redirect_uri: client.redirect_uris[0],
    code,
    code_verifier: pkce.verifier,
    ...more,
  })
}

export function refresh(s: AuthStack, client: Client, token: string, more: object = {}): Promise<Answer> {
  return requestToken(s, {
    grant_type: 'refresh_token',
    client_id: client.client_id,
    refresh_token: token,
    ...more,
  })
}

export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number }

/** Connects a new app for a person: registration, consent, tokens. */
export async function connectApplication(
  s: AuthStack,
  person: Member,
  {
    metadata = WEB_CLIENT,
    how,
    ...more
  }: { metadata?: object; how?: Decision; scope?: string; resource?: string } = {},
): Promise<{ client: Client; tokens: Tokens }> {
  const client = await registered(s, metadata)
  const pkce = newPkce()
  const answer = await redeem(s, client, await getCode(s, person, client, pkce, more, how), pkce)
  if (answer.status !== 200) throw new Error(answer.text)
  return { client, tokens: answer.json }
}

/** Authenticates like the gateway on each call. */
export async function authenticate(
  s: AuthStack,
  value: string,
  kind: CredentialKind = CredentialKind.ACCESS_TOKEN,
): Promise<AuthenticateResult> {
  const { results } = await s.as.gateway.authenticate({ credentials: [{ kind, value }] })
  return results[0] as AuthenticateResult
}

/**
 * Authenticates many times concurrently. Calls that time out are repeated, although they may have been counted.
 * @returns the answers, and the number of calls without one
 */
export async function authenticateAtOnce(
  credentials: readonly (readonly [AuthStack, string, CredentialKind?])[],
): Promise<{ results: AuthenticateResult[]; late: number }> {
  let late = 0
  const insist = async ([s, value, kind]: (typeof credentials)[number]): Promise<AuthenticateResult> => {
    try {
      return await authenticate(s, value, kind)
    } catch (error) {
      if (!(error instanceof StatusError) || !/^(DEADLINE_EXCEEDED|UNAVAILABLE)$/.test(error.status)) throw error
      late += 1
      return insist([s, value, kind])
    }
  }
  return { results: await Promise.all(credentials.map(insist)), late }
}

/** Whether exactly this many calls were admitted. A call without an answer may have been admitted or not. */
export function areAdmitted(
  { results, late }: { results: AuthenticateResult[]; late: number },
  count: number,
): boolean {
  const admitted = results.filter(({ admission }) => admission === 'ADMISSION_ADMITTED').length
  return admitted <= count && admitted + late >= count
}
