import { newId } from '@family-inbox/service-kit/ids'
import { StatusError } from '@family-inbox/service-kit/status-error'
import { invitationSentReply } from '../../care-circle/invitation-sent-reply.ts'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { HouseholdHandler } from '../../household.ts'
import type { Reply } from '../../http/reply.ts'
import type { Visit } from '../../http/visit.ts'
import { invitePage } from '../../pages/care-circle/invite.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { durationOf } from '../../parts/moment.ts'
import { readRole } from '../../parts/role.ts'
import { asPerson } from '../../session.ts'

/** Invites somebody, and shows the link, once. What was typed is kept when the invitation is refused. */
export function invite(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const values = readAnswers(visit)
    const idempotencyKey = visit.field('idempotency_key').slice(0, 200) || newId('form')
    try {
      const request = { ...values, role: readRole(values.role), idempotencyKey }
      const invitation = await ctx.careCircle.inviteMember(request, asPerson(household.session, visit))
      return invitationSentReply(ctx, visit, household, { email: values.email.trim(), ...invitation })
    } catch (error) {
      const { errors, ...status } = explain(error)
      return { page: invitePage({ household, values, idempotencyKey: newId('form'), errors }), ...status }
    }
  }
}

function readAnswers(visit: Visit) {
  const answer = (name: string) => visit.field(name).slice(0, 5000)
  return {
    email: answer('email'),
    role: answer('role'),
    relationship: answer('relationship'),
    message: answer('message'),
  }
}

type Explanation = { errors: FieldErrors } & Pick<Extract<Reply, { page: unknown }>, 'status' | 'retryAfterSec'>

/** Why nobody was invited, at the field it is about. */
function explain(error: unknown): Explanation {
  if (error instanceof StatusError && error.status === 'ALREADY_EXISTS')
    return { errors: { email: error.message }, status: 422 }
  const wait = error instanceof StatusError && error.status === 'RESOURCE_EXHAUSTED' ? error.detail.retryAfterSec : 0
  if (error instanceof StatusError && wait) {
    const email = `${error.message} You can invite again in ${durationOf(wait)}.`
    return { errors: { email }, status: 429, retryAfterSec: wait }
  }
  return { errors: toFieldErrors(error, WORDS), status: 422 }
}

const WORDS = {
  email: 'Type the email address of somebody else, like luis@example.org',
  role: 'Choose what they may do',
  relationship: 'Say what they are in up to 60 characters, or leave it empty',
  message: 'Write up to 500 characters, or leave it empty',
}
