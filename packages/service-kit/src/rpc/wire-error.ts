import { ErrorDetail } from '@family-inbox/proto/errors/v1/errors'
import { Metadata, status } from '@grpc/grpc-js'
import { describeError, type Logger } from '../observability/logger.ts'
import { type Status, StatusError } from './status-error.ts'
import type { WireError } from './transport.ts'

const DETAIL = 'error-detail-bin'

/** Converts an error for the wire. Anything but a StatusError is logged and hidden. */
export function toWireError(error: unknown, path: string, logger: Logger): WireError {
  const metadata = new Metadata()
  const known = error instanceof StatusError ? error : hide(error, path, logger)
  const { field = '', retryAfterSec = 0, found, unknownMethod } = known.detail
  if (field !== '' || retryAfterSec !== 0 || unknownMethod)
    metadata.set(DETAIL, Buffer.from(ErrorDetail.encode({ field, retryAfterSec, found, unknownMethod }).finish()))
  return { code: status[known.status], details: known.message, metadata }
}

export function wireError(code: status, details = ''): WireError {
  return { code, details, metadata: new Metadata() }
}

/** The StatusError another service sent. Transport errors are UNAVAILABLE. */
export function fromWire(error: WireError): StatusError {
  const name = (status[error.code] ?? 'INTERNAL') as Status
  const [detail] = error.metadata?.get(DETAIL) ?? []
  if (error.code === status.UNIMPLEMENTED) return new StatusError('UNAVAILABLE', BUSY, { unknownMethod: true })
  if (!STATUSES.has(name)) return new StatusError('UNAVAILABLE', BUSY)
  return new StatusError(name, error.details, detail instanceof Buffer ? readDetail(detail) : {})
}

function readDetail(bytes: Buffer): StatusError['detail'] {
  const { found, unknownMethod, ...detail } = ErrorDetail.decode(bytes)
  return { ...detail, ...(found !== undefined && { found }), ...(unknownMethod && { unknownMethod }) }
}

const BUSY = 'Part of the service is unavailable right now. Try again in a moment.'

const STATUSES = new Set<Status>([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'INTERNAL',
])

function hide(error: unknown, path: string, logger: Logger): StatusError {
  logger.error({ rpc: path, ...describeError(error) }, 'unexpected error')
  if (isStoreUnavailable(error)) return new StatusError('UNAVAILABLE', BUSY)
  return new StatusError('INTERNAL', 'Something went wrong on our side.')
}

function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /^(Mongo(Server(Selection|Closed)|Network|Pool|WaitQueue|NotConnected|Topology|WriteConcern|ose)|NatsError)/.test(
    error.name,
  )
}
