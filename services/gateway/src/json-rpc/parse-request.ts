import { code } from './envelope.ts'

/** V8's own JSON functions overflow the stack a few thousand levels down. */
const MAX_DEPTH = 64

export type ParsedRequest = {
  kind: 'request'
  id: string
  method: string
  params: Record<string, unknown>
}

/** A notification or a response: neither gets an answer. */
export type Notification = { kind: 'notification' }

export type Malformed = { kind: 'malformed'; id: string; code: number; message: string; data?: object }

/** Parses one JSON-RPC 2.0 message. Never throws. */
export function parseRequest(body: Uint8Array): ParsedRequest | Notification | Malformed {
  const text = decodeUtf8(body)
  if (text === undefined) return malformed(code.parseError, 'The body is not UTF-8 text.')
  const message = parseJson(text)
  if (message === undefined) return malformed(code.parseError, 'The body is not valid JSON.')
  if (isTooDeep(message))
    return malformed(code.invalidRequest, `The body is nested more than ${MAX_DEPTH} levels deep.`)
  if (Array.isArray(message))
    return malformed(code.invalidRequest, 'Batches are not supported: send one call in each POST.')
  if (!isObject(message)) return malformed(code.invalidRequest, 'The body must be a JSON-RPC 2.0 request object.')
  return readMessage(message, text)
}

function readMessage(message: Record<string, unknown>, text: string): ParsedRequest | Notification | Malformed {
  const id = Object.hasOwn(message, 'id') ? idText(message.id, text) : undefined
  if (message.jsonrpc !== '2.0') return malformed(code.invalidRequest, 'jsonrpc must be "2.0".', id)
  if (message.method === undefined && ('result' in message || 'error' in message)) return { kind: 'notification' }
  if (typeof message.method !== 'string') return malformed(code.invalidRequest, 'method must be a string.', id)
  if (id === undefined) return { kind: 'notification' }
  const params = message.params ?? {}
  if (!isObject(params)) return malformed(code.invalidParams, 'params must be an object.', id)
  return { kind: 'request', id, method: message.method, params }
}

function malformed(errorCode: number, message: string, id = 'null'): Malformed {
  return { kind: 'malformed', id, code: errorCode, message }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A number that JavaScript cannot hold exactly is echoed from the source text. */
function idText(id: unknown, text: string): string {
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return JSON.stringify(id)
  let source = JSON.stringify(id)
  JSON.parse(text, function (this: unknown, key, value, context?: { source?: string }) {
    if (key === 'id' && value === id && context?.source !== undefined) source = context.source
    return value
  })
  return source
}

/** Works level by level: input this deep must not reach recursive code. */
function isTooDeep(message: unknown): boolean {
  let level = [message]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
  return false
}
