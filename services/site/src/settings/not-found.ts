import { StatusError } from '@family-inbox/service-kit/status-error'

/** The one answer for an id that is not the reader's, whether or not it exists elsewhere. */
export function notFound(): StatusError {
  return new StatusError('NOT_FOUND', 'Nothing of yours is at this address.')
}
