import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { formatWait } from '@family-inbox/service-kit/text/format-wait'
import { type FieldErrors, toFieldErrors } from './fields.ts'

/**
 * Why it was not sent, in words next to a field.
 * @param field the one that shows what is about no single field
 * @param others what is wrong with other fields
 * @throws every other error
 */
export function explainRefusal(error: unknown, field: string, invalid: string, others: FieldErrors = {}): FieldErrors {
  if (!(error instanceof StatusError)) throw error
  const { status, message, detail } = error
  const { retryAfterSec } = detail
  if (status === 'RESOURCE_EXHAUSTED')
    return { [field]: retryAfterSec ? `${message} Try again in ${formatWait(retryAfterSec)}.` : message }
  if (status === 'FAILED_PRECONDITION' || status === 'ALREADY_EXISTS') return { [field]: message }
  return toFieldErrors(error, { [field]: invalid, ...others })
}

const FOR_GOOD: readonly string[] = ['FAILED_PRECONDITION', 'PERMISSION_DENIED', 'NOT_FOUND', 'INVALID_ARGUMENT']

/** Whether asking again may help. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof StatusError && FOR_GOOD.includes(error.status))
}
