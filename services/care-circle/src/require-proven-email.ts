import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/status-error'

/**
 * The email the caller has proved in this sign-in. Tool keys and grants prove none.
 * @throws StatusError FAILED_PRECONDITION
 */
export function requireProvenEmail(call: Call): string {
  const { email } = requirePrincipal(call)
  if (email !== undefined) return email
  throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
}
