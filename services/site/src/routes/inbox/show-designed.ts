import { type Status, StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import type { HouseholdHandler } from '../../household.ts'
import { html } from '../../html.ts'
import { messageMissing } from '../../inbox/message-reply.ts'
import { undefinedIfMissing } from '../../inbox/read-message.ts'
import { designedDocument } from '../../layout/designed.ts'
import { asPerson } from '../../session.ts'

/** Nothing runs, nothing is fetched, nothing is sent, and only a page of ours may show it: whatever the markup still holds. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'X-Frame-Options': 'SAMEORIGIN',
  'Referrer-Policy': 'no-referrer',
}

/** Answers with a message's own markup, made safe by inbox, for the frame on its page. */
export function showDesigned(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const lovedOneId = visit.param('lovedOneId').slice(0, 128)
    const messageId = visit.param('messageId').slice(0, 128)
    const rendered = await ctx.inbox
      .renderMessage({ lovedOneId, messageId }, asPerson(household.session, visit))
      .catch(explainIfUnfit)
      .catch(undefinedIfMissing)
    if (rendered === undefined) return messageMissing(household)
    return { headers: HEADERS, body: designedDocument(rendered.html).text }
  }
}

/** In a frame there is no room for a page of ours: what cannot be shown is said in its place. */
function explainIfUnfit(error: unknown): { html: string } {
  const reason = error instanceof StatusError ? REASONS[error.status] : undefined
  if (reason === undefined) throw error
  return { html: html`<p>${reason} The text of the message says the same.</p>`.text }
}

const REASONS: Partial<Record<Status, string>> = {
  FAILED_PRECONDITION: 'This message is too large or too odd to be shown as it was designed.',
  UNAVAILABLE: 'This takes a moment. Close this and open it again.',
  DEADLINE_EXCEEDED: 'This takes a moment. Close this and open it again.',
}
