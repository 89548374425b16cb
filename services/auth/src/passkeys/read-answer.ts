import { invalidArgument, type StatusError } from '@family-inbox/service-kit/status-error'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'

const base64url = z.string().regex(/^[\w-]{1,20000}$/)
const credential = { id: base64url, rawId: base64url, type: z.literal('public-key') }

const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
})

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
})

/**
 * What an authenticator signed, as the browser sent it.
 * @throws StatusError INVALID_ARGUMENT
 */
export function readAssertion(json: string): AuthenticationResponseJSON {
  const { response, ...rest } = read(assertion, json)
  const { userHandle, ...signed } = response
  return { ...rest, response: { ...signed, ...(userHandle && { userHandle }) }, clientExtensionResults: {} }
}

/**
 * A credential an authenticator created, as the browser sent it.
 * @throws StatusError INVALID_ARGUMENT
 */
export function readAttestation(json: string): RegistrationResponseJSON {
  const { response, ...rest } = read(attestation, json)
  const { transports = [], ...created } = response
  const known = transports as NonNullable<RegistrationResponseJSON['response']['transports']>
  return { ...rest, response: { ...created, transports: known }, clientExtensionResults: {} }
}

/** The one answer to a passkey that was not accepted, whether it is unknown, removed, or signed something else. */
export function notAccepted(): StatusError {
  return invalidArgument('passkey', 'That passkey was not accepted. Try again, or use a code.')
}

function read<T>(schema: z.ZodType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json))
  } catch {
    throw notAccepted()
  }
}
