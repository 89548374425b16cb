import { StatusError } from '@family-inbox/service-kit/status-error'
import type { FieldErrors } from './parts/field.ts'

/**
 * What a form says when a service refuses one of its fields. The rule is the service's; the words are the page's.
 * @param words what to say for each field of the form
 * @param fieldOf the form's field for the service's, where they differ
 * @throws the error itself when it is about anything else
 */
export function toFieldErrors(
  error: unknown,
  words: Readonly<Record<string, string>>,
  fieldOf: Readonly<Record<string, string>> = {},
): FieldErrors {
  if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT') throw error
  const field = fieldOf[error.detail.field ?? ''] ?? error.detail.field ?? ''
  const message = words[field]
  if (message === undefined) throw error
  return { [field]: message }
}
