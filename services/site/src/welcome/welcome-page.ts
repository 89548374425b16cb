import { errorSummary, type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { progress, STEPS } from '../shell/progress.ts'
import { type Answers, STEP_FIELDS } from './answers.ts'

type WelcomeData = {
  viewer: Viewer
  /** Starts at 0. */
  step: number
  returnTo: string
  values: Answers
  errors: FieldErrors
  hasSandbox: boolean
}

export function welcomePage({ viewer, step, returnTo, values, errors, hasSandbox }: WelcomeData): Page {
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
${step === 0 && otherOptions(hasSandbox)}`,
  }
}

function otherOptions(hasSandbox: boolean): Html {
  return html`<section class="aside" aria-labelledby="elsewhere">
<h2 id="elsewhere">Looking for something else?</h2>
<ul class="plain">
<li>Were you invited? Open the link in the invitation to join your family’s inbox.</li>
${
  hasSandbox &&
  html`<li>Did an assistant set up an inbox for you? <a href="/onboarding">Take it over</a>.</li>
`
}<li>Don’t need your account anymore? You can <a href="/settings/your-data/delete-account">delete your account</a>.</li>
</ul>
</section>`
}

const WORDS = [
  {
    title: 'Who are you caring for?',
    text: 'They get their own inbox for mail from doctors, pharmacies, and care agencies. You and your family read it together.',
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
