import { errorSummary, type FieldErrors, textField } from '../shell/field.ts'
import { type Html, html } from '../shell/html.ts'
import type { Page, Viewer } from '../shell/page.ts'
import { progress, STEPS } from '../shell/progress.ts'
import { type Answers, ASKED } from './answers.ts'
export type WelcomeData = {
  viewer: Viewer
  /** From 0. */
  step: number
  returnTo: string
  values: Answers
  errors: FieldErrors
}

/** Makes a household, one question a page: who is cared for, who is asking, and what the family calls it. */
export function welcomePage({ viewer, step, returnTo, values, errors }: WelcomeData): Page {
  const { title, text } = WORDS[step] ?? WORDS[0]
  const asked: readonly string[] = ASKED[step] ?? ASKED[0]
  const isLast = step === ASKED.length - 1
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
<div class="row"><button>${isLast ? 'Make the inbox' : 'Go on'}</button>${step > 0 && html` <button class="second" name="back" value="1" formnovalidate>Back</button>`}</div>
</form>
${step === 0 && elsewhere()}`,
  }
}

/** For those who came here and want something else. */
function elsewhere(): Html {
  return html`<section class="aside" aria-labelledby="elsewhere">
<h2 id="elsewhere">Not what you came for?</h2>
<ul class="plain">
<li>Were you invited? Then open the link in the invitation instead: it leads to the inbox your family has already.</li>
<li>Did an assistant open an inbox for you? Then <a href="/onboarding">take it over</a>.</li>
<li>Do you want nothing here any more? Then <a href="/settings/your-data/delete-account">delete your account</a>.</li>
</ul>
</section>`
}

const WORDS = [
  {
    title: 'Who are you caring for?',
    text: 'They get an inbox of their own, for mail from doctors, pharmacies and agencies. You and your family read it together.',
  },
  { title: 'And who are you?', text: 'Your family sees this, and so do people you reply to.' },
  { title: 'What do you call your family?', text: 'People you invite see this name. You can change everything later.' },
] as const

const FIELDS: Record<(typeof ASKED)[number][number], (values: Answers, errors: FieldErrors) => Html> = {
  lovedOne: (values, errors) =>
    textField({
      name: 'lovedOne',
      label: 'Their name',
      hint: 'The name your family uses, for example “Mum” or “Rosa Martin”. Others can be added later.',
      maxlength: 120,
      value: values.lovedOne,
      error: errors.lovedOne,
      autofocus: true,
    }),
  yourName: (values, errors) =>
    textField({
      name: 'yourName',
      label: 'Your own name',
      autocomplete: 'name',
      maxlength: 120,
      value: values.yourName,
      error: errors.yourName,
      autofocus: true,
    }),
  relationship: (values, errors) =>
    textField({
      name: 'relationship',
      label: 'What are you to them?',
      hint: 'For example “daughter” or “neighbour”.',
      maxlength: 60,
      optional: true,
      value: values.relationship,
      error: errors.relationship,
    }),
  familyName: (values, errors) =>
    textField({
      name: 'familyName',
      label: 'A name for your family’s inbox',
      hint: 'For example “The Martin family”.',
      maxlength: 120,
      value: values.familyName,
      error: errors.familyName,
      autofocus: true,
    }),
}
