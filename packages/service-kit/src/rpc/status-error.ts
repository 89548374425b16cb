import type { ErrorDetail } from '@family-inbox/proto/errors/v1/errors'

export type Status =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED'
  | 'INTERNAL'

/** The one error services throw. Callers see its message, so it holds plain words and nothing internal. */
export class StatusError extends Error {
  override name = 'StatusError'
  readonly status: Status
  readonly detail: Partial<ErrorDetail>

  constructor(status: Status, message: string, detail: Partial<ErrorDetail> = {}) {
    super(message)
    this.status = status
    this.detail = detail
  }
}

export function invalidArgument(field: string, message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message, { field })
}
