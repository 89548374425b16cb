import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/**
 * Whether an error says that something we need is away, or answers as it should not, whatever the event: then the event waits, for as
 * long as it takes, and no try is spent on it. Only what may lie in the event itself is its own trouble.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof StatusError) return error.status !== 'INVALID_ARGUMENT' && error.status !== 'NOT_FOUND'
  // Every error class of MongoDB's driver but the one for what it is given; BSONError, about a document, has another name.
  return error instanceof Error && /^Mongo(?!InvalidArgument)/.test(error.name)
}
