import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { safeReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import {
  ANSWER_ERRORS,
  type Answers,
  checkStep,
  readAnswers,
  readStep,
  STEP_FIELDS,
  suggestFamilyName,
} from './answers.ts'
import { welcomePage } from './welcome-page.ts'

/** Form fields by care-circle's field names. */
const FIELDS = { name: 'familyName', ownerName: 'yourName' }

export function showWelcome(): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    return welcomeReply(session, { step: 0, returnTo, answers: readAnswers({ field: () => '' }) })
  }
}

/** Handles a step. The form's idempotency key makes it safe to send the last step again after a failure. */
export function createWorkspace(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.field('return_to'))
    const answers = readAnswers(visit)
    const step = readStep(visit)
    if (visit.field('back') !== '') return welcomeReply(session, { step: Math.max(0, step - 1), returnTo, answers })
    const errors = checkStep(answers, step)
    if (Object.keys(errors).length > 0) return welcomeReply(session, { step, returnTo, answers, errors })
    if (step < STEP_FIELDS.length - 1) return welcomeReply(session, { step: step + 1, returnTo, answers })
    const invalidStep = STEP_FIELDS.findIndex((_, index) => Object.keys(checkStep(answers, index)).length > 0)
    if (invalidStep >= 0) {
      const stepErrors = checkStep(answers, invalidStep)
      return welcomeReply(session, { step: invalidStep, returnTo, answers, errors: stepErrors })
    }
    try {
      const lovedOneId = await createFromAnswers(ctx, visit, session, answers)
      return { redirectTo: returnTo === '/' ? `/forwarding/${lovedOneId}` : returnTo }
    } catch (error) {
      return welcomeReply(session, { step, returnTo, answers, errors: toFieldErrors(error, ANSWER_ERRORS, FIELDS) })
    }
  }
}

/** @returns the first loved one's id */
async function createFromAnswers(ctx: Context, visit: Visit, session: Session, answers: Answers): Promise<string> {
  const { lovedOne: name, yourName: ownerName, relationship, familyName, key } = answers
  const idempotencyKey = key && `form:${key}`
  const { workspaceId } = await ctx.careCircle.createWorkspace(
    { name: familyName, ownerName, relationship, idempotencyKey },
    asPerson(session, visit),
  )
  const selected = await ctx.auth.selectWorkspace({ session: visit.cookies.session, workspaceId }, asSite(visit))
  const { lovedOne } = await ctx.careCircle.addLovedOne({ name, idempotencyKey }, asPerson(selected, visit))
  const lovedOneId = lovedOne?.id ?? ''
  await ctx.inbox.allocateInboxAddress({ lovedOneId }, asPerson(selected, visit))
  return lovedOneId
}

type WelcomeStep = { step: number; returnTo: string; answers: Answers; errors?: FieldErrors }

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
