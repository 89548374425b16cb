import { setTimeout as sleep } from 'node:timers/promises'
import { DeliveryState, type SentReply, type WatchMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { untilAnswered } from '../_outcome.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { readUntil } from '../_wait.ts'
import { type Family, joinPostOffice, type PostOffice } from './_post-office.ts'
import { deliver } from './_smtp-client.ts'

let office: PostOffice<SharedStack>

test.before(async () => {
  office = await joinPostOffice()
})
test.after.always(() => office?.[Symbol.asyncDispose]())

type Letter = { family: Family; lovedOneId: string; messageId: string }

async function receiveLetter(): Promise<Letter> {
  const family = await office.family(1)
  const [lovedOne] = family.lovedOnes
  if (!lovedOne) throw new Error('no loved one')
  const raw = 'From: Desk <desk@clinic.example>\r\nSubject: Visit\r\nMessage-ID: <v@clinic.example>\r\n\r\nMonday?'
  const answer = await deliver(office.stack.smtpPort, lovedOne.address, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
  const [message] = await untilAnswered(() => office.messages({ ...lovedOne, token: family.owner }))
  return { family, lovedOneId: lovedOne.id, messageId: message?.id ?? '' }
}

const open = ({ lovedOneId, messageId }: Letter, token: string) =>
  untilAnswered(() => office.inbox.openMessage({ lovedOneId, messageId, markRead: false }, { token }))
const save = ({ family, lovedOneId, messageId }: Letter, body: string, idempotencyKey = 'form:1') =>
  untilAnswered(() => office.inbox.saveDraft({ lovedOneId, messageId, body, idempotencyKey }, { token: family.owner }))

function reply({ family, lovedOneId, messageId }: Letter, body: string, undoSeconds?: number, key = 'form:1') {
  const request = { lovedOneId, messageId, body, idempotencyKey: key, discardDraft: true, undoSeconds }
  return untilAnswered(() => office.inbox.replyToMessage(request, { token: family.owner }))
}

async function eventuallySent(letter: Letter): Promise<SentReply[]> {
  const isSent = (some: SentReply[]) => some.length > 0 && some.every(({ delivery }) => delivery === DeliveryState.SENT)
  return readUntil(async () => (await open(letter, letter.family.owner)).replies, isSent)
}

test('what I write is kept for me alone until I send or clear it', async (t) => {
  const letter = await receiveLetter()
  const { owner, viewer } = letter.family
  await save(letter, 'Dear doctor,')
  await save(letter, 'Dear doctor, we come on Monday.')
  t.is((await open(letter, owner)).draft, 'Dear doctor, we come on Monday.')
  t.is((await open(letter, viewer)).draft, undefined)
  await save(letter, '  ')
  t.is((await open(letter, owner)).draft, undefined)
  await save(letter, 'We come on Monday.')
  await reply(letter, 'We come on Monday.')
  t.is((await open(letter, owner)).draft, undefined)
})

test('a save that arrives after its reply was sent brings nothing back', async (t) => {
  const letter = await receiveLetter()
  await reply(letter, 'We come on Monday.')
  await save(letter, 'We come on Mon')
  t.is((await open(letter, letter.family.owner)).draft, undefined)
  await save(letter, 'One more thing', 'form:2')
  t.is((await open(letter, letter.family.owner)).draft, 'One more thing')
})

test('others see that someone is writing, and not what', async (t) => {
  const letter = await receiveLetter()
  const watching = new AbortController()
  const updates = office.inbox
    .watchMessages({}, { token: letter.family.viewer, signal: watching.signal })
    [Symbol.asyncIterator]()
  t.is((await updates.next()).value?.lovedOneId, '', 'listening')
  await save(letter, 'Dear doctor,')
  let update: WatchMessagesResponse | undefined
  // The letter is announced, too: when its sender was checked, which may be after it can be opened.
  do update = (await updates.next()).value
  while (update !== undefined && update.writing === undefined)
  watching.abort()
  const { writerIds } = await open(letter, letter.family.viewer)
  t.deepEqual(update?.writing, { messageId: letter.messageId, personId: writerIds[0] ?? '' })
  t.deepEqual((await open(letter, letter.family.owner)).writerIds, [], 'the writer is not listed for themselves')
})

test('a viewer keeps no drafts', async (t) => {
  const { family, lovedOneId, messageId } = await receiveLetter()
  const draft = { lovedOneId, messageId, body: 'x', idempotencyKey: 'form:1' }
  await t.throwsAsync(() => office.inbox.saveDraft(draft, { token: family.viewer }), { message: /viewer/i })
})

test('a reply that is undone in time is not sent, and its text is a draft again', async (t) => {
  const letter = await receiveLetter()
  const { owner } = letter.family
  const { replyId } = await reply(letter, 'We come on Monday.', 30)
  const [held] = (await open(letter, owner)).replies
  t.true((held?.undoUntil?.getTime() ?? 0) > Date.now())
  await office.inbox.undoReply({ replyId }, { token: owner })
  const opened = await open(letter, owner)
  t.deepEqual(opened.replies, [])
  t.is(opened.draft, 'We come on Monday.')
  const again = await t.throwsAsync<StatusError>(() => office.inbox.undoReply({ replyId }, { token: owner }))
  t.is(again?.status, 'FAILED_PRECONDITION')
})

test('a reply that nobody undoes is sent once; after that it cannot be undone', async (t) => {
  const letter = await receiveLetter()
  const { replyId } = await reply(letter, 'We come on Tuesday.', 1)
  await reply(letter, 'We come on Tuesday.', 1)
  t.is((await eventuallySent(letter)).length, 1)
  const late = await t.throwsAsync<StatusError>(() =>
    office.inbox.undoReply({ replyId }, { token: letter.family.owner }),
  )
  t.is(late?.status, 'FAILED_PRECONDITION')
  t.is((await open(letter, letter.family.owner)).draft, undefined)
})

test('undoing at the last moment either sends or keeps the text, never both and never neither', async (t) => {
  const letter = await receiveLetter()
  const { owner } = letter.family
  for (let round = 0; round < 8; round += 1) {
    const body = `Round ${round}`
    const { replyId } = await reply(letter, body, 1, `form:round-${round}`)
    await sleep(940 + round * 15)
    const isUndone = await office.inbox.undoReply({ replyId }, { token: owner }).then(
      () => true,
      () => false,
    )
    const { replies, draft } = await open(letter, owner)
    t.is(draft === body, isUndone, body)
    t.is(
      replies.some((sent) => sent.body === body),
      !isUndone,
      body,
    )
  }
})
