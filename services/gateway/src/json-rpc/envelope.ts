/**
 * JSON-RPC 2.0 answers, as text. This is the only place that writes `jsonrpc`.
 * `id` is the request's id as JSON text, echoed as it was sent.
 */
export function resultEnvelope(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** @param data what a client may read by machine, besides code and message */
export function errorEnvelope(id: string, code: number, message: string, data?: object): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** Error codes on the wire. -32700 to -32603 are JSON-RPC 2.0's own; the others follow the HTTP status they travel with. */
export const code = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  unauthenticated: -32001,
  insufficientScope: -32003,
  rateLimited: -32029,
} as const
