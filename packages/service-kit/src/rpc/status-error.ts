import type { ErrorDetail } from '@family-inbox/proto/errors/v1/errors'

/** The gRPC status names a service of this system answers with. */
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

/**
 * The one error services throw. Its message is shown to callers, so it holds plain words and nothing internal.
 * `detail` carries what a caller reads by machine: the argument at fault, the seconds to wait.
 */
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

/** An argument that is wrong: names the field, says what was expected. */
export function invalidArgument(field: string, message: string): StatusError {
  return new StatusError('INVALID_ARGUMENT', message, { field })
}
