import { request } from 'undici'

/** A tool call as sent over HTTP. */
export function toolRequest(name: string, values: Record<string, unknown>): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } })
}

export const TOOL_PATH = '/mcp/v1'

export function callHeaders(host: string, key: string): Record<string, string> {
  return {
    host,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-03-26',
  }
}

export async function askOnce({ origin, host }: { origin: string; host: string }, key: string, body: string) {
  const answer = await request(origin + TOOL_PATH, { method: 'POST', headers: callHeaders(host, key), body })
  return { status: answer.statusCode, text: await answer.body.text() }
}
