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
