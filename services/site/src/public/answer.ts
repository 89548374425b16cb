import type { OutgoingHttpHeaders } from 'node:http'
import { memoizeHeader } from '@family-inbox/service-kit/http/memoize-header'
import { type Compressed, chooseCoding } from '../assets/compression.ts'
import { chooseType } from './accept.ts'

export type Representation = { type: string; content: Compressed; headers: Readonly<Record<string, string>> }

/** A path's representations for content negotiation, the default first. */
export type Resource = {
  representations: readonly [Representation, ...Representation[]]
  /** Picks by the Accept header; undefined means not acceptable. */
  choose: (accept: string) => Representation | undefined
}

/** The codes of SPEC "Error object". */
export const ERROR_STATUS = {
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  spec_unavailable: 500,
  bad_request: 400,
} as const

export type PublicError = keyof typeof ERROR_STATUS

export type PublicAnswers = {
  resources: ReadonlyMap<string, Resource | 'unavailable'>
  errors: Readonly<Record<PublicError, Resource>>
}

type PublicRequest = {
  method: string
  target: string
  accept?: string
  acceptEncoding?: string
  ifNoneMatch?: string
}

type PublicAnswer = { status: number; headers: OutgoingHttpHeaders; body?: Buffer }

const ALLOW = 'GET, HEAD, OPTIONS'
const VARY = { Vary: 'Accept, Accept-Encoding' }

export function answerPublic({ resources, errors }: PublicAnswers, request: PublicRequest): PublicAnswer {
  const { method, target, accept } = request
  const refuse = (error: PublicError) => toError(errors[error], error, request)
  const path = pathOf(target)
  if (path === undefined) return refuse('bad_request')
  const resource = resources.get(path)
  // Clients probe several metadata addresses and expect JSON regardless of Accept (RFC 8414 section 3).
  if (resource === undefined && path.startsWith('/.well-known/'))
    return toError(errors.not_found, 'not_found', { ...request, accept: undefined })
  if (resource === undefined) return refuse('not_found')
  if (method === 'OPTIONS') return { status: 204, headers: { ...VARY, Allow: ALLOW } }
  if (method !== 'GET' && method !== 'HEAD') return refuse('method_not_allowed')
  if (resource === 'unavailable') return refuse('spec_unavailable')
  const representation = resource.choose(accept ?? '')
  return representation === undefined ? refuse('not_acceptable') : toSuccess(representation, request)
}

/** Builds a resource. A single representation is sent regardless of Accept. */
export function toResource(...representations: [Representation, ...Representation[]]): Resource {
  const [first, ...others] = representations
  if (others.length === 0) return { representations, choose: () => first }
  const types = representations.map(({ type }) => type)
  const choose = memoizeHeader((accept: string) => representations[types.indexOf(chooseType(accept, types) ?? '')])
  return { representations, choose }
}

function toSuccess({ type, content, headers }: Representation, request: PublicRequest): PublicAnswer {
  const coding = chooseCoding(request.acceptEncoding)
  const { bytes, etag } = content[coding]
  const described = { ...VARY, ...headers, ETag: etag }
  if (matchesETag(request.ifNoneMatch, etag)) return { status: 304, headers: described }
  return { status: 200, headers: { ...described, ...toBodyHeaders(type, coding, bytes) }, ...bodyOf(request, bytes) }
}

function toError({ choose, representations }: Resource, error: PublicError, request: PublicRequest): PublicAnswer {
  const { type, content } = choose(request.accept ?? '') ?? representations[0]
  const coding = chooseCoding(request.acceptEncoding)
  const { bytes } = content[coding]
  const headers = {
    ...VARY,
    'Cache-Control': 'no-store',
    ...(error === 'method_not_allowed' && { Allow: ALLOW }),
    ...toBodyHeaders(type, coding, bytes),
  }
  return { status: ERROR_STATUS[error], headers, ...bodyOf(request, bytes) }
}

function toBodyHeaders(type: string, coding: string, bytes: Buffer): OutgoingHttpHeaders {
  const encoding = coding === 'identity' ? {} : { 'Content-Encoding': coding }
  return { 'Content-Type': type, 'Content-Length': bytes.length, ...encoding }
}

function bodyOf({ method }: PublicRequest, bytes: Buffer): { body?: Buffer } {
  return method === 'HEAD' ? {} : { body: bytes }
}

/** Returns the path without its query; undefined for an invalid path or escape (RFC 3986 section 2.1). */
function pathOf(target: string): string | undefined {
  const [path = ''] = target.split('?', 1)
  return path.startsWith('/') && !/%(?![0-9A-Fa-f]{2})/.test(path) ? path : undefined
}

/** Weak comparison (RFC 9110 section 13.1.2). */
function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
