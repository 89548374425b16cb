import type { Context } from '../context.ts'
import type { Household } from '../household.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { invitationSentPage } from '../pages/care-circle/invitation-sent.ts'

type SentInvitation = {
  email: string
  /** Empty when it was told before. */
  token: string
  expiresAt: Date | undefined
}

/** Says that an invitation is on its way. The link is in this answer only; nothing keeps it. */
export function invitationSentReply(
  { config }: Context,
  { clock }: Visit,
  household: Household,
  { email, token, expiresAt }: SentInvitation,
): Reply {
  const link = token === '' ? undefined : `${config.urls.inbox}/invitation/${token}`
  return { page: invitationSentPage({ household, clock, email, link, expiresAt }) }
}
