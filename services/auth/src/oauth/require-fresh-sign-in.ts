import type { Interaction } from 'oidc-provider'
import { type LiveSession, signInFirst } from '../sign-in/live-session.ts'

const ASKED_FOR_SIGN_IN = new Set(['login_prompt', 'max_age'])

/**
 * An application may ask that the person signs in anew (`prompt=login`, `max_age`): a sign-in from before does not do then.
 * @throws StatusError UNAUTHENTICATED
 */
export function requireFreshSignIn(interaction: Interaction, session: LiveSession): void {
  const isAsked = interaction.prompt.reasons.some((reason) => ASKED_FOR_SIGN_IN.has(reason))
  if (isAsked && toEpochSec(session.createdAt) < interaction.iat) throw signInFirst()
}

export function toEpochSec(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
