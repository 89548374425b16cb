import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, textField, toFieldErrors } from '../shell/fields.ts'
import { html } from '../shell/html.ts'
import type { Page } from '../shell/page.ts'
import { copyable } from '../shell/parts.ts'
import { asSite } from '../shell/session.ts'
import type { Reply, Visit, VisitHandler } from '../shell/visit.ts'
import { startSession } from '../sign-in/start-session.ts'

/** The operator's first page. Once there is a family, or where no code was created, it does not exist. */
export function showSetUp(ctx: Context): VisitHandler {
  return async (visit) => {
    const codeValid = await requireSetUp(ctx, visit)
    return {
      page: codeValid ? setUpPage({ values: NOTHING, errors: {} }) : newCodePage('The set-up code has expired.'),
    }
  }
}

/** Creates the family, signs its owner in, and offers a passkey. */
export function finishSetUp(ctx: Context): VisitHandler {
  return async (visit) => {
    await requireSetUp(ctx, visit)
    const values = readAnswers(visit)
    const code = visit.field('code').trim().slice(0, 100)
    if (code === '') return { status: 422, page: setUpPage({ values, errors: { code: 'Enter the set-up code' } }) }
    const { userAgent, cookies } = visit
    const request = { ...values, code, userAgent, device: cookies.device }
    try {
      const started = await startSession(ctx, visit, await ctx.auth.finishSetUp(request, asSite(visit)), FIRST_PAGE)
      return { ...started, flash: 'family-created' }
    } catch (error) {
      return explainFailure(error, values)
    }
  }
}

const COMMAND = 'npm run ops -- set-up-code'
const FIRST_PAGE = '/settings/passkeys'

/** @returns whether the code can be used @throws StatusError NOT_FOUND */
async function requireSetUp(ctx: Context, visit: Visit): Promise<boolean> {
  const { open, codeValid } = await ctx.auth.getSetUp({}, asSite(visit))
  if (!open) throw new StatusError('NOT_FOUND', 'There is no page at this address.')
  return codeValid
}

type Answers = { email: string; name: string; familyName: string }

const NOTHING: Answers = { email: '', name: '', familyName: '' }

function readAnswers(visit: Visit): Answers {
  const answer = (name: keyof Answers) => visit.field(name).slice(0, 1000)
  return { email: answer('email').trim().slice(0, 254), name: answer('name'), familyName: answer('familyName') }
}

const ERRORS = {
  email: 'Enter your email address, like ana@example.org',
  name: 'Enter your own name, up to 120 characters',
  familyName: 'Enter a name for your family’s inbox, up to 120 characters',
}

function explainFailure(error: unknown, values: Answers): Reply {
  if (error instanceof StatusError && error.detail.field === 'code') {
    const isOver = error.status === 'FAILED_PRECONDITION'
    const page = isOver ? newCodePage(error.message) : setUpPage({ values, errors: { code: error.message } })
    return { status: 422, page }
  }
  return { status: 422, page: setUpPage({ values, errors: toFieldErrors(error, ERRORS) }) }
}

function setUpPage({ values, errors }: { values: Answers; errors: FieldErrors }): Page {
  return {
    title: 'Set up your family',
    hasErrors: Object.keys(errors).length > 0,
    main: html`${errorSummary(errors)}
<h1>Set up your family</h1>
<p>The server printed a set-up code when it started. Enter it here to create the first family and become its owner.</p>
<form method="post" action="/set-up" novalidate>
${textField({
  name: 'code',
  label: 'Set-up code',
  hint: 'For example, abcd-efgh-jkmn-pqrs. It works once.',
  maxlength: 64,
  error: errors.code,
})}
${textField({
  name: 'name',
  label: 'Your name',
  hint: 'Your family and the people you reply to see it.',
  autocomplete: 'name',
  maxlength: 120,
  value: values.name,
  error: errors.name,
})}
${textField({
  name: 'email',
  label: 'Your email address',
  hint: 'We’ll send your sign-in codes there, so check it twice.',
  type: 'email',
  inputmode: 'email',
  autocomplete: 'email',
  maxlength: 254,
  value: values.email,
  error: errors.email,
})}
${textField({
  name: 'familyName',
  label: 'Family name',
  hint: 'For example, “The Martin family”. People you invite see it.',
  maxlength: 120,
  value: values.familyName,
  error: errors.familyName,
})}
<button>Create family</button>
</form>
<p class="aside">No code? On the server, run <code>${COMMAND}</code>. It prints a new one, and the earlier one stops working.</p>`,
  }
}

function newCodePage(because: string): Page {
  return {
    title: 'You need a new set-up code',
    main: html`<h1>You need a new set-up code</h1>
<p>${because} Nothing was created.</p>
<p>On the server, run this command. It prints a new code.</p>
${copyable({ id: 'command', text: COMMAND, what: 'the command', look: 'block' })}
<p><a class="button" href="/set-up">Enter the new code</a></p>
<p class="aside">If you created the family yourself, <a href="/sign-in">sign in</a>.</p>`,
  }
}
