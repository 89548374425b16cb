import type { ServerResponse } from 'node:http'

export const RETRY_LATER = { error: 'temporarily_unavailable', error_description: 'try again in a moment' }

/** Sends an OAuth error (RFC 6749 section 5.2), unless a response has begun. */
export function answerJson(
  res: ServerResponse,
  status: number,
  body: { error: string; error_description: string },
  headers: Record<string, string> = {},
): undefined {
  if (res.headersSent) return void res.destroy()
  res.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  res.end(JSON.stringify(body))
}
