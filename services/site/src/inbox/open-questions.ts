import { Category, ConversationStatus, type InboxEntry, type MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { DAY_MS } from '../shell/reader-clock.ts'

const RECENT_MS = 14 * DAY_MS
const ASKS =
  /\?|\b(?:please (?:reply|answer|confirm|call|contact|let us know|send|sign|choose)|let us know|rsvp|awaiting your)\b/i

/** Recent mail that seems to ask something and that nobody has answered, in the order of the list. */
export function openQuestions(entries: readonly InboxEntry[], now: Date): InboxEntry[] {
  return entries.filter(
    ({ message, replied, forwardingConfirmation }) =>
      message !== undefined &&
      !replied &&
      !forwardingConfirmation &&
      isRecent(message, now) &&
      !isFinished(message) &&
      asks(message),
  )
}

function isRecent({ receivedAt }: MessageSummary, now: Date): boolean {
  return receivedAt !== undefined && now.getTime() - receivedAt.getTime() < RECENT_MS
}

function isFinished({ state }: MessageSummary): boolean {
  return state?.status === ConversationStatus.DONE || state?.status === ConversationStatus.NOT_NEEDED
}

/** Programs ask, too, but nobody waits for the answer. */
function asks({ subject, preview, category }: MessageSummary): boolean {
  return category !== Category.AUTOMATED && ASKS.test(`${subject}\n${preview}`)
}
