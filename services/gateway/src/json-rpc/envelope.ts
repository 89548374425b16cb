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
