import { Category, type InboxEntry, type MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { comingDeadline } from './find-deadlines.ts'
import { riskyAsks } from './scam-box.ts'
import { isFinished } from './status-bar.ts'

const RECENT_MS = 14 * DAY_MS
const ASKS =
  /\?|\b(?:please (?:reply|answer|confirm|call|contact|let us know|send|sign|choose)|let us know|rsvp|awaiting your)\b/i

/** What letters say below all that they ask, in a sentence of its own: whoever has a question may call. */
const STOCK =
  /(?<=^|[.!?\n]\s{0,3})(?:(?:(?:if|should) you (?:have|need)|any|have|got|more|other|for|with|further|additional)\s{1,3}(?:[\p{L}’']{1,12}\s{1,3}){0,3})?(?:(?:questions?|concerns?)(?:\s{1,3}(?:or|and)\s{1,3}concerns?)?[^.!?\n]{0,60}[?,:.–-]?\s{0,3}(?:please |just |simply |feel free to |do not hesitate to |don[’']t hesitate to |you (?:can|may) )*(?:call|contact|email|e-mail|mail|visit|reach|write|reply|ask|text|see|let us know|go to|phone|ring)|(?:need )?(?:any )?(?:help|assistance)[^.!?\n]{0,40}[?,:–-]\s{0,3}(?:please )?(?:call|contact|visit|see|go to))(?!\p{L})[^.!?\n]{0,120}[.!?]?/giu

/** Recent mail that seems to ask something and that nobody has answered, in the order of the list. */
export function openQuestions(entries: readonly InboxEntry[], clock: ReaderClock): InboxEntry[] {
  return entries.filter(
    ({ message, replied, forwardingConfirmation }) =>
      message !== undefined &&
      !replied &&
      !forwardingConfirmation &&
      isRecent(message, clock) &&
      !isFinished(message.state) &&
      riskyAsks(message).length === 0 &&
      asks(message, clock),
  )
}

function isRecent({ receivedAt }: MessageSummary, { now }: ReaderClock): boolean {
  return receivedAt !== undefined && now.getTime() - receivedAt.getTime() < RECENT_MS
}

/** Programs ask, too, but nobody waits for the answer. */
function asks(message: MessageSummary, clock: ReaderClock): boolean {
  if (message.category === Category.AUTOMATED) return false
  const own = `${message.subject}\n${message.preview}`.replaceAll(STOCK, ' ')
  return ASKS.test(own) || answerBy(message, clock) !== undefined
}

/** The day by which the subject or the first lines ask for an answer. */
export function answerBy({ subject, preview, receivedAt }: MessageSummary, clock: ReaderClock): string | undefined {
  return receivedAt && comingDeadline(`${subject}\n\n${preview}`, receivedAt, clock)
}
