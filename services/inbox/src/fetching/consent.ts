import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { FetchedMailbox } from '../models/mailbox.ts'
import type { OauthClient } from '../oauth-providers.ts'

const GOOD_FOR_MS = 10 * 60_000
const SEALED_FOR = 'mailbox consent'

const consent = z.object({ mailboxId: z.string(), personId: z.string(), verifier: z.string(), until: z.number() })

export type Consent = Pick<z.infer<typeof consent>, 'mailboxId' | 'personId' | 'verifier'>

/** The `state` of a request for access (RFC 6749 section 10.12), which only we can read, with the secret of PKCE in it. */
export function sealConsent({ mailboxSecrets }: Pick<Context, 'mailboxSecrets'>, begun: Consent): string {
  return mailboxSecrets.seal(JSON.stringify({ ...begun, until: Date.now() + GOOD_FOR_MS }), SEALED_FOR)
}

/** @throws StatusError INVALID_ARGUMENT unless it is ours and not too old */
export function openConsent({ mailboxSecrets }: Pick<Context, 'mailboxSecrets'>, state: string): Consent {
  try {
    const { until, ...begun } = consent.parse(JSON.parse(mailboxSecrets.open(state, SEALED_FOR)))
    if (until > Date.now()) return begun
  } catch {
    // Whoever made it up learns no more than one who is late.
  }
  throw refusedConsent()
}

export function refusedConsent(): StatusError {
  return invalidArgument('state', 'The sign-in took too long, or the access was not given. Try again.')
}

/** The page that the provider sends the owner back to. It has to be registered there. */
export function redirectUriOf({ config }: Pick<Context, 'config'>): string {
  return `${config.inboxUrl}/settings/mailboxes/connected`
}

/** @throws StatusError FAILED_PRECONDITION for a mailbox with a password, or when the operator took the provider away */
export function clientOf(
  { config }: Pick<Context, 'config'>,
  { oauthProvider }: Pick<FetchedMailbox, 'oauthProvider'>,
): OauthClient {
  const client = oauthProvider && config.mailboxOauth[oauthProvider]
  if (client) return client
  throw new StatusError('FAILED_PRECONDITION', 'This mailbox needs a password. Remove it and add it again.')
}
