import type { BeginPasskeyResponse } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Cookie } from '../http/cookies.ts'
import type { BodyReply } from '../http/reply.ts'

/**
 * What script/passkeys.js needs to ask the browser for a passkey.
 * @throws StatusError FAILED_PRECONDITION where there are no passkeys
 */
export function passkeyOptions({ ceremony, options }: BeginPasskeyResponse, cookies: Cookie[] = []): BodyReply {
  if (options === '') throw new StatusError('FAILED_PRECONDITION', "Passkeys don't work here. Use a code.")
  return {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ceremony, options: JSON.parse(options) }),
    cookies,
  }
}
