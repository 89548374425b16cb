import type { OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { shortDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { senderName } from './sender.ts'

/** Leaves most of a reply's 20,000 characters for the answer. */
const MAX_QUOTED = 8000

type Quoted = Pick<OpenMessageResponse, 'message' | 'body'>

/** The message as mail programs quote it, with a line that says who wrote it and when. */
export function quoteOf({ message, body }: Quoted, clock: ReaderClock): string {
  const writer = senderName(message?.originalSender ?? message?.sender)
  const day = message?.receivedAt && shortDay(message.receivedAt, clock)
  const text = body.length > MAX_QUOTED ? `${body.slice(0, MAX_QUOTED)}…` : body
  const lines = text.trim().split(/\r?\n/)
  return [`${day ? `On ${day}, ` : ''}${writer} wrote:`, ...lines.map((line) => `> ${line}`.trimEnd())].join('\n')
}
