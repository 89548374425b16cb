import type { Mailbox } from '@family-inbox/mail-reader/mime/message-fields'
import { forwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import { cut } from '@family-inbox/service-kit/text/cut'
import type { Message } from '../models/message.ts'
import type { Forward } from '../models/reply.ts'

/** Longer texts are cut; the whole mail can go with it as a file. */
const MAX_TEXT = 100_000

export const FORWARDED_FIELDS = { from: 1, to: 1, sentAt: 1, receivedAt: 1, text: 1 } as const

export type ForwardedMessage = Pick<Message, 'subject' | keyof typeof FORWARDED_FIELDS>

export function forwardSubject({ subject }: Pick<Message, 'subject'>): string {
  return forwardPrefix(subject) === '' ? `Fwd: ${subject}` : subject
}

/** A message as people forward it: to whose inbox it came, its head, and its text. */
export function forwardedText(message: ForwardedMessage, { lovedOneName }: Pick<Forward, 'lovedOneName'>): string {
  const { from, to, sentAt, receivedAt, subject, text } = message
  const head = [
    '---------- Forwarded message ----------',
    `From: ${written(from)}`,
    `Date: ${(sentAt ?? receivedAt).toUTCString()}`,
    `Subject: ${subject}`,
    ...(to.length > 0 ? [`To: ${to.map(written).join(', ')}`] : []),
    `About: ${lovedOneName}`,
  ]
  const shown = cut(text, MAX_TEXT)
  const rest = shown.length < text.length ? '\n\n[The rest of this long message is not shown.]' : ''
  return `${head.join('\n')}\n\n${shown}${rest}`
}

function written({ name, address }: Mailbox): string {
  return name === '' ? address : `${name} <${address}>`
}
