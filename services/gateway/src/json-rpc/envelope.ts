import { serverInfo } from '@family-inbox/workspace-kit/tool-catalogue'

/** `legacy`: revisions with a handshake. `modern`: 2026-07-28, where every request describes itself (MCP "Terminology"). */
export type Era = 'legacy' | 'modern'

/** The request that is answered. `id` is JSON text, echoed as sent. Results of the modern era repeat the server's name in directories. */
export type Asked = { id: string; era: Era; serverName?: string }

/** Pairs are ours. Modern ones must be outside the range of JSON-RPC (MCP 2026-07-28 "Error Codes"). */
export const code = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  unsupportedRevision: -32022,
  unauthenticated: { legacy: -32001, modern: 401 },
  insufficientScope: { legacy: -32003, modern: 403 },
  resourceNotFound: { legacy: -32002, modern: -32602 },
  rateLimited: { legacy: -32029, modern: 429 },
} as const

type Code = number | Readonly<Record<Era, number>>

export function errorEnvelope({ id, era }: Asked, errorCode: Code, message: string, data?: object): string {
  const error = { code: typeof errorCode === 'number' ? errorCode : errorCode[era], message, data }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}

/** Every result repeats it, so it is short. */
function briefly(name: string = serverInfo.name): string {
  return `{"name":${JSON.stringify(name)},"version":"${serverInfo.version}"}`
}

type ResultOptions = {
  type?: 'complete' | 'input_required'
  meta?: string
  /** JSON text of an object that describes this server in more detail. */
  serverInfo?: string
}

/** @param result JSON text of an object without `_meta`; not empty in the modern era */
export function resultEnvelope({ id, era, serverName }: Asked, result: string, options: ResultOptions = {}): string {
  const { type = 'complete', meta = '{}', serverInfo: server } = options
  const start = `{"jsonrpc":"2.0","id":${id},"result":`
  if (era === 'modern') {
    const from = `{"io.modelcontextprotocol/serverInfo":${server ?? briefly(serverName)}`
    const described = meta === '{}' ? `${from}}` : `${from},${meta.slice(1)}`
    return `${start}{"resultType":"${type}",${result.slice(1, -1)},"_meta":${described}}}`
  }
  return meta === '{}' ? `${start}${result}}` : `${start}${result.slice(0, -1)},"_meta":${meta}}}`
}
