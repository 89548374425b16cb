import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { HANDSHAKE_REVISIONS, STATELESS_REVISION } from '@family-inbox/workspace-kit/tool-catalogue'
import { type Asked, code } from '../json-rpc/envelope.ts'
import {
  isObject,
  type Malformed,
  type Notification,
  type ParsedRequest,
  parseRequest,
} from '../json-rpc/parse-request.ts'

/** Revisions that clients may name after a handshake: ours and the ones before. */
const KNOWN = new Set<unknown>(['2024-10-07', '2024-11-05', ...HANDSHAKE_REVISIONS, STATELESS_REVISION])

const META = 'io.modelcontextprotocol/'
const VERSION = `${META}protocolVersion`
const CAPABILITIES = `${META}clientCapabilities`
const MODERN_FIELDS = [VERSION, CAPABILITIES, `${META}clientInfo`]
const MODERN_METHODS = new Set(['server/discover', 'subscriptions/listen'])
/** The parameter that `Mcp-Name` repeats. */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

export type Request = Asked & ParsedRequest & { capabilities: Record<string, unknown> }

export type Message = Request | (Asked & (Notification | Malformed))

/** The body decides the era: some clients name the newest revision in the header after an older handshake. */
export function readMessage(body: Uint8Array, headers: IncomingHttpHeaders, serverName?: string): Message {
  const message = parseRequest(body)
  if (message.kind === 'malformed') return { era: 'legacy', ...message }
  const meta = message.kind === 'request' && isObject(message.params._meta) ? message.params._meta : {}
  if (message.kind === 'request' && isModern(message.method, meta)) {
    const read = readModern(message, meta, headers)
    return serverName === undefined ? read : Object.assign(read, { serverName })
  }
  const id = message.kind === 'request' ? message.id : 'null'
  const isHandshake = message.kind === 'request' && message.method === 'initialize'
  const revision = headers['mcp-protocol-version']
  if (revision !== undefined && !isHandshake && !KNOWN.has(revision))
    return { kind: 'malformed', id, era: 'legacy', code: code.invalidRequest, message: UNKNOWN_REVISION }
  return message.kind === 'request'
    ? { ...message, era: 'legacy', capabilities: {} }
    : { ...message, id, era: 'legacy' }
}

const UNKNOWN_REVISION = `MCP-Protocol-Version names no revision of MCP. Send one of ${[...HANDSHAKE_REVISIONS, STATELESS_REVISION].join(', ')}.`

function isModern(method: string, meta: Record<string, unknown>): boolean {
  return MODERN_METHODS.has(method) || MODERN_FIELDS.some((field) => Object.hasOwn(meta, field))
}

/** The checks of MCP 2026-07-28 "Server Validation" and "Per-request protocol fields". */
function readModern(request: ParsedRequest, meta: Record<string, unknown>, headers: IncomingHttpHeaders): Message {
  const { id, method, params } = request
  const refuse = (errorCode: number, message: string, data?: object): Message => {
    return { kind: 'malformed', id, era: 'modern', code: errorCode, message, ...(data && { data }) }
  }
  const { [VERSION]: requested, [CAPABILITIES]: capabilities } = meta
  if (!/^(?:"|-?\d+$)/.test(id)) return refuse(code.invalidRequest, 'id must be a string or an integer.')
  if (typeof requested !== 'string') return refuse(code.invalidParams, `params._meta must have ${VERSION}, a string.`)
  if (!isObject(capabilities)) return refuse(code.invalidParams, `params._meta must have ${CAPABILITIES}, an object.`)
  if (headers['mcp-protocol-version'] !== requested)
    return refuse(code.headerMismatch, mismatch('MCP-Protocol-Version'))
  if (requested !== STATELESS_REVISION) {
    const data = { supported: [STATELESS_REVISION], requested }
    return refuse(code.unsupportedRevision, `Unsupported protocol version. Send ${STATELESS_REVISION}.`, data)
  }
  if (headers['mcp-method'] !== method) return refuse(code.headerMismatch, mismatch('Mcp-Method'))
  const namedBy = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined
  const name = namedBy === undefined ? undefined : params[namedBy]
  if (typeof name === 'string' && decodeName(headers['mcp-name']) !== name)
    return refuse(code.headerMismatch, mismatch('Mcp-Name'))
  return { ...request, era: 'modern', capabilities }
}

function mismatch(header: string): string {
  return `The header ${header} is missing or differs from the body. Send the same value in both.`
}

/** Decodes the Base64 form of names that a header cannot hold (MCP 2026-07-28 "Value Encoding"). */
function decodeName(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '')
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(text) ?? []
  if (encoded === undefined) return /^[\t\x20-\x7e]*$/.test(text) ? text : undefined
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded && isUtf8(bytes) ? bytes.toString() : undefined
}
