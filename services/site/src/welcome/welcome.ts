import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { carryTo, readCarried } from '../shell/carried.ts'
import { type FieldErrors, toFieldErrors } from '../shell/fields.ts'
import { safeReturnTo, withReturnTo } from '../shell/return-to.ts'
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

export function showWelcome(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const carried = readCarried(visit, session) ?? {}
    const field = (name: string) => carried[name] ?? ''
    // Only an answered step leads to the next one.
    const step = Math.min(readStep({ field: visit.query }), readStep({ field }))
    const returnTo = safeReturnTo(visit.query('return_to') || field('return_to'))
    return welcomeReply(ctx, session, { step, returnTo, answers: readAnswers({ field }) })
  }
}

/** Handles a step. The form's idempotency key makes it safe to send the last step again after a failure. */
export function createWorkspace(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.field('return_to'))
    const answers = readAnswers(visit)
    const step = readStep(visit)
    const at = (next: number) => stepReply(session, { step: next, returnTo, answers })
    if (visit.field('back') !== '') return at(Math.max(0, step - 1))
    const errors = checkStep(answers, step)
    if (Object.keys(errors).length > 0) return welcomeReply(ctx, session, { step, returnTo, answers, errors })
    if (step < STEP_FIELDS.length - 1) return at(step + 1)
    const invalidStep = STEP_FIELDS.findIndex((_, index) => Object.keys(checkStep(answers, index)).length > 0)
    if (invalidStep >= 0) {
      const stepErrors = checkStep(answers, invalidStep)
      return welcomeReply(ctx, session, { step: invalidStep, returnTo, answers, errors: stepErrors })
    }
    try {
      const lovedOneId = await createFromAnswers(ctx, visit, session, answers)
      const question = withReturnTo('/settings/notifications/first', `/forwarding/${lovedOneId}`)
      // While somebody connects an application, nothing comes between.
      return { redirectTo: returnTo === '/' ? question : returnTo, cookies: [{ name: 'carried' }] }
    } catch (error) {
      return welcomeReply(ctx, session, {
        step,
        returnTo,
        answers,
        errors: toFieldErrors(error, ANSWER_ERRORS, FIELDS),
      })
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

/** Each step has an address, so Back leads to the one before. */
function stepReply(session: Session, { step, returnTo, answers }: WelcomeStep): Reply {
  const data = { ...answers, step: `${step}`, return_to: returnTo }
  return { redirectTo: `/welcome?step=${step}`, cookies: [carryTo('/welcome', session, data)] }
}

type WelcomeStep = { step: number; returnTo: string; answers: Answers; errors?: FieldErrors }

async function welcomeReply(
  { readSwitches }: Context,
  session: Session,
  { step, returnTo, answers, errors = {} }: WelcomeStep,
): Promise<Reply> {
  const { hasSandbox } = await readSwitches()
  const values = {
    ...answers,
    yourName: answers.yourName || (Object.hasOwn(errors, 'yourName') ? '' : session.name),
    familyName: answers.familyName || (Object.hasOwn(errors, 'familyName') ? '' : suggestFamilyName(answers.lovedOne)),
    key: answers.key || randomUUID(),
  }
  const page = welcomePage({ viewer: toViewer(session), step, returnTo, values, errors, hasSandbox })
  return { page, status: Object.keys(errors).length > 0 ? 422 : 200 }
}
