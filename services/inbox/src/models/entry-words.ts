import type { Mailbox } from '@family-inbox/mail-reader/mime/message-fields'
import { MessageField } from '@family-inbox/proto/inbox/v1/inbox'
import { indexPeople, indexWords, wordsOfEach } from './index-words.ts'
import type { Message } from './message.ts'

export type EntryWords = {
  /** Prefixes of its words: the query looks these up, then compares `words`. */
  keys: string[]
  words: string
  /** Names and addresses of its sender and author, or of whom the family wrote it to, and the names of members who replied, as words. */
  people: string[]
}

type NamedRow = Pick<Message, 'subject' | 'from' | 'originalSender' | 'replyTo' | 'ownReplyId'> & {
  attachments: { filename: string }[]
}

/**
 * @param repliers names of the members who replied
 * @param fileText what its files say
 */
export function wordsOf(row: NamedRow & Pick<Message, 'text'>, repliers: string[] = [], fileText = ''): EntryWords {
  const files = fileText === '' ? [] : [fileText]
  const { keys, words } = indexWords([...textsOf(row).map(([, text]) => text), row.text, ...files])
  const named = [indexPeople(peopleOf(row).map(([, text]) => text)), ...repliers.map((name) => indexPeople([name]))]
  const all = new Set([...keys, ...named.flatMap((person) => person.keys)])
  return { keys: [...all], words, people: [...new Set(named.map((person) => person.words))] }
}

/** The words of an entry, each with the field of its message that they are from. */
export function fieldsOf(
  row: NamedRow,
  { words, people }: Pick<EntryWords, 'words' | 'people'>,
): { anywhere: [MessageField, string][]; people: [MessageField, string][] } {
  const [ofMail = '', ...repliers] = people
  const texts: [MessageField, string][] = [...textsOf(row), [MessageField.BODY, ANY], [MessageField.ATTACHMENT, ANY]]
  return {
    anywhere: separate(texts, words),
    people: [
      ...separate(peopleOf(row), ofMail),
      ...repliers.map((replier): [MessageField, string] => [MessageField.REPLIED_BY, replier]),
    ],
  }
}

/** The texts of a message in the order of its words, but the body. Most memorable first: words beyond the limit are not indexed. */
function textsOf({ subject, attachments, ...row }: NamedRow): [MessageField, string][] {
  return [
    [MessageField.SUBJECT, subject],
    ...peopleOf(row),
    ...attachments.map(({ filename }): [MessageField, string] => [MessageField.ATTACHMENT, filename]),
  ]
}

type People = Pick<NamedRow, 'from' | 'originalSender' | 'replyTo' | 'ownReplyId'>

function peopleOf({ from, originalSender, replyTo, ownReplyId }: People): [MessageField, string][] {
  const textsOf = (field: MessageField, { name, address }: Mailbox): [MessageField, string][] => [
    [field, name],
    [field, address],
  ]
  return [
    ...textsOf(MessageField.SENDER, from),
    ...(originalSender ? textsOf(MessageField.ORIGINAL_SENDER, originalSender) : []),
    ...(ownReplyId !== undefined && replyTo ? textsOf(MessageField.RECIPIENT, replyTo) : []),
  ]
}

/** Any word: bodies and files are not read to tell what is in them. */
const ANY = 'any'

function separate(texts: [MessageField, string][], words: string): [MessageField, string][] {
  const each = wordsOfEach(
    texts.map(([, text]) => text),
    words,
  )
  return texts.map(([field], index) => [field, each[index] ?? ''])
}
