import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
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
import { progress, STEPS } from './progress.ts'

/** Form fields by care-circle's field names. */
const FIELD_OF = { name: 'familyName', ownerName: 'yourName' }

/** Shows the first step of onboarding. */
export function showWelcome(): SignedInHandler {
  return async (visit, session) => {
    const returnTo = safeReturnTo(visit.query('return_to'))
    return welcomeReply(session, { step: 0, returnTo, answers: readAnswers({ field: () => '' }) })
  }
}

/**
 * Handles a step. The last one creates the workspace, selects it, and adds the first loved one with an address. The form's
 * idempotency key makes it safe to send again after a failure.
 */
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
      return welcomeReply(session, { step, returnTo, answers, errors: toFieldErrors(error, ANSWER_ERRORS, FIELD_OF) })
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

type WelcomeData = {
  viewer: Viewer
  /** Starts at 0. */
  step: number
  returnTo: string
  values: Answers
  errors: FieldErrors
}

/** Renders one step of onboarding. */
export function welcomePage({ viewer, step, returnTo, values, errors }: WelcomeData): Page {
  const { title, text } = WORDS[step] ?? WORDS[0]
  const asked: readonly string[] = STEP_FIELDS[step] ?? STEP_FIELDS[0]
  const isLast = step === STEP_FIELDS.length - 1
  return {
    title,
    viewer,
    allowsExternalRedirects: returnTo !== '/',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${progress(STEPS, step)}
${errorSummary(errors)}
<h1>${title}</h1>
<p>${text}</p>
<form method="post" action="/welcome" novalidate>
<input type="hidden" name="return_to" value="${returnTo}">
<input type="hidden" name="step" value="${step}">
${Object.entries(values).map(([name, value]) => !asked.includes(name) && html`<input type="hidden" name="${name}" value="${value}">`)}
${asked.map((name) => FIELDS[name as keyof typeof FIELDS](values, errors))}
<div class="row"><button>${isLast ? 'Create inbox' : 'Continue'}</button>${step > 0 && html` <button class="second" name="back" value="1" formnovalidate>Back</button>`}</div>
</form>
${step === 0 && otherOptions()}`,
  }
}

function otherOptions(): Html {
  return html`<section class="aside" aria-labelledby="elsewhere">
<h2 id="elsewhere">Looking for something else?</h2>
<ul class="plain">
<li>Were you invited? Open the link in the invitation to join your family’s inbox.</li>
<li>Did an assistant set up an inbox for you? <a href="/onboarding">Take it over</a>.</li>
<li>Don’t need your account anymore? You can <a href="/settings/your-data/delete-account">delete your account</a>.</li>
</ul>
</section>`
}

const WORDS = [
  {
    title: 'Who are you caring for?',
    text: 'They get their own inbox for mail from doctors, pharmacies and care agencies. You and your family read it together.',
  },
  { title: 'Who are you?', text: 'Your family and the people you reply to see this.' },
  { title: 'What is your family called?', text: 'People you invite see this name.' },
] as const

const FIELDS: Record<(typeof STEP_FIELDS)[number][number], (values: Answers, errors: FieldErrors) => Html> = {
  lovedOne: (values, errors) =>
    textField({
      name: 'lovedOne',
      label: 'Their name',
      hint: 'The name your family uses, like “Mom” or “Rosa Martin”. You can add others later.',
      maxlength: 120,
      value: values.lovedOne,
      error: errors.lovedOne,
      autofocus: true,
    }),
  yourName: (values, errors) =>
    textField({
      name: 'yourName',
      label: 'Your name',
      autocomplete: 'name',
      maxlength: 120,
      value: values.yourName,
      error: errors.yourName,
      autofocus: true,
    }),
  relationship: (values, errors) =>
    textField({
      name: 'relationship',
      label: 'How are you related to them?',
      hint: 'For example, “daughter” or “neighbor”.',
      maxlength: 60,
      optional: true,
      value: values.relationship,
      error: errors.relationship,
    }),
  familyName: (values, errors) =>
    textField({
      name: 'familyName',
      label: 'Family name',
      hint: 'For example, “The Martin family”.',
      maxlength: 120,
      value: values.familyName,
      error: errors.familyName,
      autofocus: true,
    }),
}
