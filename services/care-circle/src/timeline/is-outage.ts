import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/** True when a dependency failed rather than the event: the event then waits, and no try is counted. */
export function isOutage(error: unknown): boolean {
  if (error instanceof StatusError) return error.status !== 'INVALID_ARGUMENT' && error.status !== 'NOT_FOUND'
  // All driver errors except invalid arguments. BSONError, about a document, has another prefix.
  return error instanceof Error && /^Mongo(?!InvalidArgument)/.test(error.name)
}
