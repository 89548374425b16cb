import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import Keygrip from 'keygrip'
import type Provider from 'oidc-provider'
import type { Interaction } from 'oidc-provider'
import type { Context } from '../context.ts'
import { type ActiveSession, signInFirst } from '../sign-in/active-session.ts'

const ASKED_FOR_SIGN_IN = new Set(['login_prompt', 'max_age'])

/**
 * The authorization that the browser with these cookies began. An attacker could send a victim the link, so the browser
 * must hold the cookie set at the start (RFC 9700 section 4.7).
 */
export async function findInteraction(
  { config }: Context,
  provider: Provider,
  id: string,
  cookies: string,
): Promise<Interaction> {
  const name = provider.cookieName('interaction')
  const signature = readCookie(cookies, `${name}.sig`)
  const isOwn = readCookie(cookies, name) === id && signature !== undefined
  if (!isOwn || !new Keygrip([...config.cookieKeys]).verify(`${name}=${id}`, signature)) throw interactionNotFound()
  const interaction = await provider.Interaction.find(id)
  if (interaction === undefined) throw interactionNotFound()
  return interaction
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

export function readCookie(header: string | undefined, name: string): string | undefined {
  const cookies = (header ?? '').split(/; */)
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}
