import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type Provider from 'oidc-provider'
import { errors, type Interaction } from 'oidc-provider'
import { type ActiveSession, signInFirst } from '../sign-in/active-session.ts'

const ASKED_FOR_SIGN_IN = new Set(['login_prompt', 'max_age'])

type FoundInteraction = {
  interaction: Interaction
  finish: (result: NonNullable<Interaction['result']>) => Promise<string>
}

/** An attacker could send a victim the link, so the browser must hold the cookie set at the start (RFC 9700 section 4.7). */
export async function findInteraction(provider: Provider, id: string, cookie: string): Promise<FoundInteraction> {
  const { req, res } = requestWithCookie(cookie)
  try {
    const interaction = await provider.interactionDetails(req, res)
    if (interaction.uid !== id) throw interactionNotFound()
    return { interaction, finish: (result) => provider.interactionResult(req, res, result) }
  } catch (error) {
    if (error instanceof errors.SessionNotFound) throw interactionNotFound()
    throw error
  }
}

/** oidc-provider reads cookies from an HTTP request; ours arrive in an RPC. */
function requestWithCookie(cookie: string): { req: IncomingMessage; res: ServerResponse } {
  const req = new IncomingMessage(new Socket())
  req.headers.cookie = cookie
  return { req, res: new ServerResponse(req) }
}

function interactionNotFound(): StatusError {
  return new StatusError(
    'NOT_FOUND',
    'This request has expired or was started in another browser. Go back to the app and connect it again.',
    { field: 'interactionId' },
  )
}

/** Enforces `prompt=login` and `max_age`. @throws StatusError UNAUTHENTICATED */
export function requireFreshSignIn(interaction: Interaction, session: ActiveSession): void {
  const isAsked = interaction.prompt.reasons.some((reason) => ASKED_FOR_SIGN_IN.has(reason))
  if (isAsked && toEpochSec(session.createdAt) < interaction.iat) throw signInFirst()
}

export function toEpochSec(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
