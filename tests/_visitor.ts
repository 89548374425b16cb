import { createHash, randomBytes } from 'node:crypto'
import { type Answer, type Guest, type SendOptions, send } from './_family.ts'
import type { Sink, SunkMail } from './_mail-sink.ts'
import { untilPageAnswered } from './_outcome.ts'
import { becomesTrue } from './_wait.ts'

/** Where a visitor goes: an installation, with or without a family. `reachedAt` is for one whose name and TLS are a proxy's. */
type Place = { stack: Pick<Guest['stack'], 'inboxUrl'> & { reachedAt?: string } }

/** Below the limit of codes to one address. */
const MOST_ATTEMPTS = 4

/** A browser without a window: keeps cookies, follows redirects, submits forms. */
export class Visitor {
  readonly #f: Place
  readonly #cookies = new Map<string, string>()

  constructor(f: Place) {
    this.#f = f
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Adds a cookie from elsewhere. */
  adopt(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** Opens a page, again while a busy machine answers 503. */
  async get(path: string): Promise<Answer> {
    return untilPageAnswered(() => this.getOnce(path))
  }

  /** For when a service is away: its pages may answer 503. */
  async getOnce(path: string): Promise<Answer> {
    return this.#send(path, { headers: { cookie: this.cookie, accept: 'text/html' } })
  }

  async submit(path: string, fields: Record<string, string> | [string, string][]): Promise<Answer> {
    const headers = {
      cookie: this.cookie,
      accept: 'text/html',
      origin: this.#f.stack.inboxUrl,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const body = new URLSearchParams(fields).toString()
    return this.#send(path, { method: 'POST', headers, body })
  }

  /** Submits a form, again while a busy machine answers 503: for what a second time changes nothing about. */
  async insist(path: string, fields: Record<string, string>): Promise<Answer> {
    return untilPageAnswered(() => this.submit(path, fields))
  }

  /** Submits a form that says how something shall be. @throws unless it was saved */
  async save(path: string, fields: Record<string, string>): Promise<void> {
    const { status } = await this.insist(path, fields)
    if (status !== 303) throw new Error(`not saved: ${status}`)
  }

  async #send(path: string, options: SendOptions): Promise<Answer> {
    const { inboxUrl, reachedAt } = this.#f.stack
    const url = new URL(path, inboxUrl)
    if (reachedAt === undefined) return this.#keep(await send(url.href, options))
    const headers = { ...options.headers, host: url.host, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
    return this.#keep(await send(new URL(`${url.pathname}${url.search}`, reachedAt).href, { ...options, headers }))
  }

  #keep(answer: Answer): Answer {
    for (const cookie of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return answer
  }
}

/** Signs in with the code from the mail, from the beginning if a busy machine answers 503 or mails the code of such an attempt. */
export async function signIn(f: Place, sink: Sink, email: string): Promise<Visitor> {
  const statuses: number[] = []
  while (statuses.length < MOST_ATTEMPTS) {
    const visitor = new Visitor(f)
    const status = await enterCode(visitor, sink, email)
    if (status === 303) return visitor
    statuses.push(status)
  }
  throw new Error(`sign-in answered ${statuses.join(', ')}`)
}

/** @returns the status of the last step */
async function enterCode(visitor: Visitor, sink: Sink, email: string): Promise<number> {
  const before = codesTo(sink, email).length
  const { status } = await visitor.submit('/sign-in', { email, return_to: '/' })
  if (status === 503) return status
  const mail = await nextCode(sink, email, before)
  return (await visitor.submit('/sign-in/code', { code: /\b(\d{4} \d{4})\b/.exec(mail?.raw ?? '')?.[1] ?? '' })).status
}

export function codesTo(sink: Sink, email: string): SunkMail[] {
  return sink.mails.filter(({ to, headers }) => to.includes(email) && /^Subject: Your sign-in code$/m.test(headers))
}

/** Waits for a sign-in code after the first `before`. Other mail may come meanwhile. */
export async function nextCode(sink: Sink, email: string, before: number): Promise<SunkMail | undefined> {
  await becomesTrue(async () => codesTo(sink, email).length > before)
  return codesTo(sink, email).at(-1)
}

export type Tokens = { access_token: string; refresh_token: string; scope: string; clientId: string }

/** Connects an application for a signed-in person who grants these scopes. */
export async function connectApplication(
  f: Guest<never>,
  visitor: Visitor,
  scopes: string[],
  { access }: { access?: 'read' | 'approval' | 'write' } = {},
): Promise<Tokens> {
  const redirectUri = 'http://127.0.0.1:3334/oauth/callback'
  const { inboxUrl } = f.stack
  const json = { 'content-type': 'application/json' }
  const registration = { client_name: 'Test', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  const { json: client } = await send(`${inboxUrl}/oauth/register`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(registration),
  })
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${f.stack.apiUrl}/mcp/v1`,
  })
  let step = await visitor.get(`/oauth/authorize?${query}`)
  const consent = String(step.headers.location)
  const workspace = ['workspace', f.family.workspaceId] as [string, string]
  const decision: [string, string][] = [
    ...scopes.map((scope) => ['scope', scope] as [string, string]),
    workspace,
    ...(access === undefined ? [] : [['access', access] as [string, string]]),
    ['decision', 'allow'],
  ]
  step = await visitor.submit(consent, decision)
  step = await visitor.get(String(step.headers.location))
  const code = new URL(String(step.headers.location)).searchParams.get('code') ?? ''
  const token = await send(`${inboxUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: client.client_id,
      code_verifier: verifier,
    }).toString(),
  })
  return { ...token.json, clientId: client.client_id }
}
