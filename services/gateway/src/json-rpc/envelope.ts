/** Builds a JSON-RPC 2.0 result. `id` is the request's id as JSON text, echoed as sent. */
export function resultEnvelope(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function errorEnvelope(id: string, code: number, message: string, data?: object): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** -32700 to -32603 are JSON-RPC 2.0's own; the others mirror the HTTP status they travel with. */
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
