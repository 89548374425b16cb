import { request } from 'undici'

/** A tool call as sent over HTTP. @param meta as in MCP 2026-07-28, where each request describes itself */
export function toolRequest(name: string, values: Record<string, unknown>, meta?: object): string {
  const params = { name, arguments: values, _meta: meta }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
}

/** The headers that repeat what is in the body. */
export function revisionHeaders(body: string): Record<string, string> {
  const { method, params = {} } = JSON.parse(body)
  const revision = params._meta?.['io.modelcontextprotocol/protocolVersion']
  if (revision === undefined) return { 'mcp-protocol-version': '2025-03-26' }
  return { 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': params.name }
}

/** Sessions work only at the second address, for the application's own pages. */
export type SessionPages = { origin: string }

/** Where to call, and the credential: a bearer key or token, or a session cookie. */
export function callAs(secret: string, pages?: SessionPages): { path: string; headers: Record<string, string> } {
  if (pages === undefined) return { path: '/mcp/v1', headers: { authorization: `Bearer ${secret}` } }
  return { path: '/api/mcp', headers: { cookie: `family_session=${secret}`, origin: pages.origin } }
}

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
      ...revisionHeaders(body),
    },
    body,
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}

/** @throws unless the answer is 200 */
export async function askWell(...asked: Parameters<typeof askOnce>): Promise<void> {
  const { status, text } = await askOnce(...asked)
  if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 300)}`)
}
