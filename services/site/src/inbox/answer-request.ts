import type { CalendarRequest } from '@family-inbox/proto/inbox/v1/inbox'
import { eventTime } from '../appointments/appointment-words.ts'
import type { Context } from '../context.ts'
import { errorSummary, type FieldErrors, radioField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import { messageIdsOf, messagePath } from '../shell/inbox-paths.ts'
import { type Page, sectionPage } from '../shell/page.ts'
import { withQuery } from '../shell/parts.ts'
import { explainRefusal } from '../shell/refusal.ts'
import { asPerson } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { requireWriter, undefinedIfMissing, type Workspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { backToMessage, sentListQuery } from './mail-list.ts'
import { messageMissing } from './read-message.ts'

const CHOOSE = 'Choose who was invited'

/** Shows what would be mailed, and to whom. */
export function showAnswer(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    requireWriter(workspace)
    const chosen = { requestId: visit.query('request'), coming: visit.query('coming') !== 'no', attendee: '' }
    return answerReply(ctx, visit, workspace, chosen)
  }
}

/** Sends it, once for each form. */
export function sendAnswer(ctx: Context): WorkspaceHandler {
  return async (visit, workspace) => {
    const ids = messageIdsOf(visit)
    const requestId = visit.field('request').slice(0, 64)
    const chosen = {
      requestId,
      coming: visit.field('coming') === 'yes',
      attendee: visit.field('attendee').slice(0, 300),
    }
    const turn = Math.min(Math.trunc(Number(visit.field('turn'))) || 0, 1_000_000)
    try {
      await ctx.inbox.answerCalendarRequest({ ...ids, ...chosen, turn }, asPerson(workspace.session, visit))
    } catch (error) {
      return answerReply(ctx, visit, workspace, chosen, explainRefusal(error, 'attendee', CHOOSE))
    }
    const goes = chosen.coming && visit.field('going') === '1'
    const isSaved = !goes || (await goAlong(ctx, visit, workspace, visit.field('event').slice(0, 64)))
    return { redirectTo: backToMessage(visit, 'family'), flash: isSaved ? 'answer-sent' : 'answer-sent-not-going' }
  }
}

/** @returns whether the calendar has it; the answer is on its way in any case */
async function goAlong(ctx: Context, visit: Visit, { session }: Workspace, uidHash: string): Promise<boolean> {
  const { messageId, lovedOneId } = messageIdsOf(visit)
  const person = asPerson(session, visit)
  const going = async () => {
    const { appointments } = await ctx.careCircle.listMessageAppointments({ lovedOneId, messageId }, person)
    const appointment = appointments.find((one) => one.uidHash === uidHash && !one.canceled)
    if (appointment === undefined) return false
    const { id: appointmentId, occurrence } = appointment
    const { timeZone } = visit.clock
    await ctx.careCircle.setGoing({ appointmentId, occurrence, going: true, timeZone }, person)
    return true
  }
  return going().catch(() => false)
}

type Chosen = { requestId: string; coming: boolean; attendee: string }

async function answerReply(
  ctx: Context,
  visit: Visit,
  workspace: Workspace,
  chosen: Chosen,
  errors: FieldErrors = {},
): Promise<Reply> {
  const ids = messageIdsOf(visit)
  const person = asPerson(workspace.session, visit)
  const found = await ctx.inbox.listCalendarRequests({ ...ids, uidHash: '' }, person).catch(undefinedIfMissing)
  if (found === undefined) return messageMissing(workspace)
  const request = found.requests.find(({ id }) => id === chosen.requestId)
  // It is over by now, for example.
  if (request === undefined) return { redirectTo: backToMessage(visit) }
  const page = answerPage({ visit, workspace, request, chosen, errors })
  return { page, status: Object.keys(errors).length > 0 ? 422 : 200 }
}

type AnswerData = {
  visit: Visit
  workspace: Workspace
  request: CalendarRequest
  chosen: Chosen
  errors: FieldErrors
}

function answerPage(data: AnswerData): Page {
  const { visit, workspace, request, chosen, errors } = data
  const { title, start, subject, footer, turn, uidHash } = request
  const action = withQuery(`${messagePath(messageIdsOf(visit))}/answer`, sentListQuery(visit))
  const heading = chosen.coming ? 'Tell them we’re coming' : 'Tell them we can’t come'
  return sectionPage(
    { id: 'inbox', workspace },
    {
      title: heading,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<p class="up"><a href="${backToMessage(visit)}">Message</a></p>
${errorSummary(errors)}
<h1>${heading}</h1>
<dl class="facts appointment-facts">
<div><dt>What</dt><dd><bdi>${title || 'Event without a title'}</bdi></dd></div>
<div><dt>When</dt><dd>${eventTime({ start, end: undefined }, visit.clock)}</dd></div>
<div><dt>To</dt><dd>${organizerWords(request)}</dd></div>
<div><dt>Subject</dt><dd><bdi>${subject}</bdi></dd></div>
</dl>
<div class="body answer-text" dir="auto">${chosen.coming ? request.comingText : request.notComingText}${footer && `\n\n${footer}`}</div>
<form method="post" action="${action}" autocomplete="off" novalidate>
<input type="hidden" name="request" value="${request.id}">
<input type="hidden" name="coming" value="${chosen.coming ? 'yes' : 'no'}">
<input type="hidden" name="turn" value="${turn}">
<input type="hidden" name="event" value="${uidHash}">
${attendeeField(data)}
${chosen.coming && html`<label class="tick"><input type="checkbox" name="going" value="1"> <span>I’m going along<span class="hint">Only your family sees that, in the calendar. Others can still say that they go.</span></span></label>`}
<p class="hint">They see <bdi>${workspace.ownName}</bdi> as the sender. A calendar reply goes with the email, so their calendar can show your answer.</p>
<button>Send answer</button>
</form>`,
    },
  )
}

/** In full: a name proves nothing. */
function organizerWords({ organizer, organizerName, verified }: CalendarRequest): Html {
  return html`${organizerName !== '' && html`<bdi>${organizerName}</bdi> `}<strong><bdi>${organizer}</bdi></strong>${!verified && html`<br><span class="hint">The message doesn’t prove that this is their address. If you’re not sure, call a number you already have.</span>`}`
}

function attendeeField({ request, chosen, errors }: AnswerData): Html {
  const { attendee, attendees } = request
  if (attendee !== '')
    return html`<input type="hidden" name="attendee" value="${attendee}">
<p id="attendee">You’re answering as <bdi>${attendee}</bdi>.</p>`
  const options = attendees.map((value) => ({ value, label: html`<bdi>${value}</bdi>` }))
  const field = { name: 'attendee', legend: 'Who was invited?', options, value: chosen.attendee }
  return radioField({ ...field, ...(errors.attendee && { error: errors.attendee }) })
}
