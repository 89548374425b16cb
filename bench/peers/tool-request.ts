import { request } from 'undici'

/** A call of a tool as it goes over the wire. */
export function toolRequest(name: string, values: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } })
}

/** Asks a peer once. */
export async function askOnce(peer: { origin: string; host: string }, key: string, body: string) {
  const answer = await request(`${peer.origin}/mcp/v1`, {
    method: 'POST',
    headers: {
      host: peer.host,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-03-26',
    },
    body,
  })
  return { status: answer.statusCode, text: await answer.body.text() }
}
