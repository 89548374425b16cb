import { createHash, randomBytes } from 'node:crypto'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { request } from 'undici'

export const STEPS = ['register', 'authorize', 'consent page', 'consent', 'code', 'token', 'refresh'] as const

export type Step = (typeof STEPS)[number]

const REDIRECT_URI = 'https://assistant.example/callback'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Sent = { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string }

/**
 * Connects an app through the gateway: registration, authorization, consent, tokens and a refresh.
 * @param session of the person
 * @returns the access token, and how long each step took, in milliseconds
 */
export async function connectApplication({ inboxUrl }: Stack, session: string, workspaceId: string) {
  const cookies = new Map([['family_session', session]])
  const tookMs = {} as Record<Step, number>
  async function take(step: Step, url: string, { method = 'GET', headers = {}, body }: Sent = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const started = performance.now()
    const answer = await request(new URL(url, inboxUrl), { method, headers: { cookie, ...headers }, body })
    const text = await answer.body.text()
    tookMs[step] = performance.now() - started
    if (answer.statusCode >= 400) throw new Error(`${step}: ${answer.statusCode} ${text.slice(0, 300)}`)
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value !== '') cookies.set(name, value)
    }
    return { text, location: String(answer.headers.location ?? '') }
  }

  const registration = { client_name: 'Bench', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
  const json = { 'content-type': 'application/json' }
  const client = await take('register', '/oauth/register', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(registration),
  })
  const { client_id } = JSON.parse(client.text)
  const code_verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const asked = await take('authorize', `/oauth/authorize?${query}`)
  await take('consent page', asked.location)
  const decision = new URLSearchParams({ workspace: workspaceId, decision: 'allow' })
  for (const scope of ['profile:read', 'care_circle:read', 'care_circle:write']) decision.append('scope', scope)
  const decided = await take('consent', asked.location, {
    method: 'POST',
    headers: { ...FORM, origin: inboxUrl },
    body: `${decision}`,
  })
  const back = await take('code', decided.location)
  const code = new URL(back.location).searchParams.get('code') ?? ''
  const redeem = { grant_type: 'authorization_code', code, client_id, code_verifier, redirect_uri: REDIRECT_URI }
  const first = await take('token', '/oauth/token', {
    method: 'POST',
    headers: FORM,
    body: `${new URLSearchParams(redeem)}`,
  })
  const { refresh_token } = JSON.parse(first.text)
  const again = { grant_type: 'refresh_token', client_id, refresh_token }
  const second = await take('refresh', '/oauth/token', {
    method: 'POST',
    headers: FORM,
    body: `${new URLSearchParams(again)}`,
  })
  return { token: JSON.parse(second.text).access_token as string, tookMs }
}
