import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { readOwnWords } from '@family-inbox/mail-reader/text/own-words'
import { SEALED } from '@family-inbox/mail-reader/text/sealed'
import { FOR_PRIVACY } from '../notifying/offer-answer.ts'
import type { Reason } from './tell-not-sent.ts'

export type Answer = { kind: 'reply' | 'note'; text: string; attachments: AttachmentMeta[] }

/** Alone on the first line. Nobody answers a clinic with that word, so marks around it don't count. */
const NOTE_LINE = /^[^\p{L}\p{N}]*notes?[^\p{L}\p{N}]*$/iu
const NOTE_BEFORE = /^note[ \t]*:[ \t]*/i
const ANSWER_ADDRESS = /reply\+[0-9a-f]{32}@/i

/** What a mail to the address of a notification says, and to whom; or why that is not clear. */
export function readAnswer(parsed: ParsedMessage): Answer | Reason {
  const { text, attachments, unreadable, truncated } = parsed
  if (unreadable || truncated || text.includes(SEALED)) return 'unreadable'
  const own = readOwnWords(text)
  if (quotesNotification(own)) return 'quoted'
  const answer = { ...splitNote(own), attachments }
  return answer.text === '' ? 'empty' : answer
}

/** Nothing of our own mail may go to a clinic. */
function quotesNotification(own: string): boolean {
  const line = own.replace(/[>\s]+/g, ' ')
  return line.includes(FOR_PRIVACY) || ANSWER_ADDRESS.test(line)
}

function splitNote(own: string): Pick<Answer, 'kind' | 'text'> {
  const [first = '', ...rest] = own.split('\n')
  if (NOTE_LINE.test(first)) return { kind: 'note', text: rest.join('\n').trim() }
  if (NOTE_BEFORE.test(first)) return { kind: 'note', text: own.replace(NOTE_BEFORE, '').trim() }
  return { kind: 'reply', text: own }
}
