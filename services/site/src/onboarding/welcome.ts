import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/field.ts'
import { safeReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { ANSWER_WORDS, type Answers, ASKED, checkStep, readAnswers, readStep, suggestFamilyName } from './answers.ts'
import { welcomePage } from './welcome-page.ts'

/** Shows the first question of those that make a household. */
export function showWelcome(): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    return welcomeReply(session, { step: 0, returnTo, answers: readAnswers({ field: () => '' }) })
  }
}

/**
 * Takes the answers of a step and asks the next; with the last, makes the household, keeps the session in it, and adds the
 * first loved one with their address. The form's key makes it one household, however often it is sent; should something be
 * away half-way, sending it again goes on from there.
 */
export function createWorkspace(ctx: Context): SignedInHandler {
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
      const lovedOneId = await makeWorkspace(ctx, visit, session, answers)
      return { redirectTo: returnTo === '/' ? `/forwarding/${lovedOneId}` : returnTo }
    } catch (error) {
      return welcomeReply(session, { step, returnTo, answers, errors: toFieldErrors(error, ANSWER_WORDS, FIELDS) })
    }
  }
}

/** @returns the first loved one's id */
async function makeWorkspace(ctx: Context, visit: Visit, session: Session, answers: Answers): Promise<string> {
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

type WelcomeStep = { step: number; returnTo: string; answers: Answers; errors?: FieldErrors }

/** Draws one step on the way to a household, with what was answered before. */
function welcomeReply(session: Session, { step, returnTo, answers, errors = {} }: WelcomeStep): Reply {
  const values = {
    ...answers,
    yourName: answers.yourName || (Object.hasOwn(errors, 'yourName') ? '' : session.name),
    familyName: answers.familyName || (Object.hasOwn(errors, 'familyName') ? '' : suggestFamilyName(answers.lovedOne)),
    key: answers.key || randomUUID(),
  }
  const page = welcomePage({ viewer: toViewer(session), step, returnTo, values, errors })
  return { page, status: Object.keys(errors).length > 0 ? 422 : 200 }
}
