import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/** The same whether or not another family has it. */
export function mailboxNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'Your family has no such mailbox.', { field: 'mailboxId' })
}
