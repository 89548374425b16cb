import { StatusError } from '@family-inbox/service-kit/status-error'

/** The one answer for a message that is not in the inbox, whether or not it is in another. */
export function messageNotFound(): StatusError {
  const message = 'There is no message with this messageId in this loved one’s inbox.'
  return new StatusError('NOT_FOUND', message, { field: 'messageId' })
}
