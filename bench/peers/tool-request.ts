import { request } from 'undici'

/** A call of a tool as it goes over the wire. */
export function toolRequest(name: string, values: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } })
}

/** What sessions need that keys and tokens do not: they count at the second address, for pages of the application only. */
export type SessionPages = { origin: string }

/** Where to call, and how a caller says who it is: with a key or a token as bearer, or with a session's cookie. */
export function callAs(secret: string, pages?: SessionPages): { path: string; headers: Record<string, string> } {
  if (pages === undefined) return { path: '/mcp/v1', headers: { authorization: `Bearer ${secret}` } }
  return { path: '/api/mcp', headers: { cookie: `family_session=${secret}`, origin: pages.origin } }
}

/** Asks a peer once. */
export async function askOnce(
  peer: { origin: string; host: string },
  secret: string,
  body: string,
  pages?: SessionPages,
) {
  const { path, headers } = callAs(secret, pages)
  const answer = await request(peer.origin + path, {
    method: 'POST',
    headers: {
      host: peer.host,
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-03-26',
    },
    body,
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

/** Asks a peer once, and is answered. @throws unless with 200 */
export async function askWell(...asked: Parameters<typeof askOnce>): Promise<void> {
  const { status, text } = await askOnce(...asked)
  if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 300)}`)
}
