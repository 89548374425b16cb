import type { ToDo } from '@family-inbox/proto/carecircle/v1/care_circle'
import {
  Category,
  type ConversationState,
  ConversationStatus,
  type InboxEntry,
} from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import type { Workspace } from '../shell/workspace.ts'
import { type MailList, readListQuery } from './mail-list.ts'
import { isDue, type UpNextData, upNextParts } from './next-parts.ts'

const clock = { locale: 'en-GB', timeZone: 'UTC', now: new Date('2026-05-12T12:00:00Z') }
const workspace = { lovedOnes: [{ id: 'lo_1', name: 'Rosa', position: 0 }] } as Workspace

function entry(subject: string, status?: ConversationStatus): InboxEntry {
  const changedAt = clock.now
  const state: ConversationState | undefined = status && {
    status,
    assigneeId: '',
    assigneeName: '',
    changedBy: '',
    changedAt,
  }
  const words = {
    subject,
    preview: '',
    category: Category.OTHER,
    receivedAt: changedAt,
    attachmentCount: 0,
    asksFor: [],
  }
  return {
    message: { id: subject, sender: undefined, originalSender: undefined, state, ...words },
    lovedOneId: 'lo_1',
    unread: false,
    replied: false,
    repliedBy: [],
    forwardingConfirmation: false,
  }
}

function mailOf(...entries: InboxEntry[]): MailList {
  const query = readListQuery({ query: () => '', clock }, undefined)
  return { workspace, query, words: '', terms: { words: '' } as MailList['terms'], entries, unread: 0 }
}

function textOf(data: Partial<UpNextData>): string {
  const parts = { mail: mailOf(), appointments: [], toDos: [], latest: [] }
  const nothing = { workspace, lovedOne: undefined, clock, ...parts, back: 'next' as const }
  return upNextParts({ ...nothing, ...data }).text
}

test('mail is listed once: what asks something, and what nobody has taken', (t) => {
  const { OPEN, TAKEN, DONE } = ConversationStatus
  const text = textOf({
    mail: mailOf(entry('Coming?', OPEN), entry('Bill', OPEN), entry('Plan', TAKEN), entry('Over', DONE), entry('Old')),
  })
  const [questions = '', untaken = ''] = text.split('Not taken yet')
  t.regex(questions, /May need an answer.*Coming\?/s)
  t.regex(untaken, /Bill/)
  t.notRegex(untaken, /Coming/)
  t.notRegex(text, /Plan|Over|Old/)
  t.regex(untaken, /href="\/\?view=open">All open mail/)
})

test('a part that could not be read says so, and the others are there', (t) => {
  const text = textOf({ appointments: undefined, latest: undefined, mail: mailOf(entry('Coming?')) })
  t.regex(text, /We can’t load the calendar/)
  t.regex(text, /We can’t load the timeline/)
  t.regex(text, /Coming\?/)
  t.regex(textOf({ mail: undefined }), /We can’t load your mail(?:.|\n)*No visits or readings in the last seven days/)
})

test('with nothing to show, each part says what will be here', (t) => {
  const text = textOf({})
  t.is(text.match(/appears? here/g)?.length, 5)
})

test('a phone opens with what comes next when something has to be done by today', (t) => {
  const isDueWith = (day: string) => {
    const next = { appointments: [], toDos: [{ day } as ToDo], latest: [] }
    return isDue(next, mailOf(), clock)
  }
  t.deepEqual(['2026-05-13', '2026-05-12', '2026-05-01', ''].map(isDueWith), [false, true, true, false])
})
