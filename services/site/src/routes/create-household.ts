import type { Context } from '../context.ts'
import { toFieldErrors } from '../form-errors.ts'
import { safeReturnTo } from '../http/return-to.ts'
import type { Visit } from '../http/visit.ts'
import { asPerson, asSite, type Session, type SignedInHandler } from '../session.ts'
import { type Answers, ASKED, readAnswers, readStep } from '../welcome/answers.ts'
import { ANSWER_WORDS, checkStep } from '../welcome/check-answers.ts'
import { welcomeReply } from '../welcome/welcome-reply.ts'

/**
 * Takes the answers of a step and asks the next; with the last, makes the household, keeps the session in it, and adds the
 * first loved one with their address. The form's key makes it one household, however often it is sent; should something be
 * away half-way, sending it again goes on from there.
 */
export function createHousehold(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.field('return_to'))
    const answers = readAnswers(visit)
    const step = readStep(visit)
    if (visit.field('back') !== '') return welcomeReply(session, { step: Math.max(0, step - 1), returnTo, answers })
    const errors = checkStep(answers, step)
    if (Object.keys(errors).length > 0) return welcomeReply(session, { step, returnTo, answers, errors })
    if (step < ASKED.length - 1) return welcomeReply(session, { step: step + 1, returnTo, answers })
    const unfit = ASKED.findIndex((_, index) => Object.keys(checkStep(answers, index)).length > 0)
    if (unfit >= 0) return welcomeReply(session, { step: unfit, returnTo, answers, errors: checkStep(answers, unfit) })
    try {
      const lovedOneId = await makeHousehold(ctx, visit, session, answers)
      return { redirectTo: returnTo === '/' ? `/forwarding/${lovedOneId}` : returnTo }
    } catch (error) {
      return welcomeReply(session, { step, returnTo, answers, errors: toFieldErrors(error, ANSWER_WORDS, FIELDS) })
    }
  }
}

/** @returns the first loved one's id */
async function makeHousehold(ctx: Context, visit: Visit, session: Session, answers: Answers): Promise<string> {
  const { lovedOne: name, yourName: ownerName, relationship, familyName, key } = answers
  const idempotencyKey = key && `form:${key}`
  const { workspaceId } = await ctx.careCircle.createWorkspace(
    { name: familyName, ownerName, relationship, idempotencyKey },
    asPerson(session, visit),
  )
  const bound = await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
  const { lovedOne } = await ctx.careCircle.addLovedOne({ name, idempotencyKey }, asPerson(bound, visit))
  const lovedOneId = lovedOne?.id ?? ''
  await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(bound, visit))
  return lovedOneId
}

const FIELDS = { name: 'familyName', ownerName: 'yourName' }
