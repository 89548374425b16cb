import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowseMessagesRequest, Category, type InboxEntry } from '@family-inbox/proto/inbox/v1/inbox'
import anyTest, { type TestFn } from 'ava'
import { UNJOINED } from '../_checked.ts'
import { untilAnswered } from '../_outcome.ts'
import type { LeasedStack } from '../_shared-stack.ts'
import { until } from '../_wait.ts'
import { EVERYTHING, type Family, joinPostOffice, type LovedOne, type PostOffice } from './_post-office.ts'
import { startSecondInbox } from './_second-inbox.ts'
import { deliver, isTaken } from './_smtp-client.ts'

type Office = PostOffice<LeasedStack>
const test = (anyTest as TestFn<Office>).serial

test.before(async (t) => {
  t.context = await joinPostOffice('mortal')
})
test.after.always((t) => (t.context as Partial<Office>)[Symbol.asyncDispose]?.())

type Mail = { id: string; subject?: string; names?: string[]; text?: string; from?: string }

function rawMail({
  id,
  subject = 'Question',
  names = [],
  text = `This is ${id}.`,
  from = 'desk@clinic.example',
}: Mail) {
  const ids = names.map((name) => `<${name}@clinic.example>`)
  return [
    `From: Desk <${from}>`,
    `Subject: ${subject}`,
    `Message-ID: <${id}@clinic.example>`,
    ...(ids.length > 0 ? [`In-Reply-To: ${ids.at(-1)}`, `References: ${ids.join(' ')}`] : []),
    '',
    text,
    '',
  ].join('\r\n')
}

/** Senders try again while the service is away. */
async function send({ stack }: Office, lovedOne: LovedOne, mail: Mail, port = stack.smtpPort): Promise<void> {
  await until(() => isTaken(deliver(port, lovedOne.address, rawMail(mail))))
}

const browse = ({ inbox }: Office, token: string, wanted: Partial<BrowseMessagesRequest> = {}) =>
  untilAnswered(() => inbox.browseMessages({ ...EVERYTHING, ...wanted }, { token }))
const open = ({ inbox }: Office, token: string, lovedOneId: string, messageId: string, markRead = false) =>
  untilAnswered(() => inbox.openMessage({ lovedOneId, messageId, markRead }, { token }))

/** And in its conversation. */
async function indexed({ db }: Office, { workspaceId }: Family): Promise<void> {
  await until(async () => (await db.collection('messages').countDocuments({ workspaceId, ...UNJOINED })) === 0)
}

const shown = (entries: InboxEntry[]) => entries.map(({ message, turnCount }) => `${message?.preview} ${turnCount}`)

async function newFamily(office: Office, mails: Mail[] = [], lovedOnes = 1) {
  const family = await office.family(lovedOnes)
  const [lovedOne] = family.lovedOnes as [LovedOne]
  for (const mail of mails) await send(office, lovedOne, mail)
  await indexed(office, family)
  return { ...family, lovedOne }
}

/** The ids of the mails of each conversation, read from every store that names one. */
async function conversations({ db }: Office, { workspaceId }: Family): Promise<string[]> {
  const grouped = async (collection: string) => {
    const rows = await db.collection(collection).find({ workspaceId }).toArray()
    const groups = Map.groupBy(rows, ({ conversationId }) => conversationId)
    return [...groups.values()]
      .map((members) =>
        members
          .map(({ _id }) => `${_id}`)
          .sort()
          .join(' '),
      )
      .sort()
  }
  const [messages, entries] = [await grouped('messages'), await grouped('index_entries')]
  if (messages.join() !== entries.join()) throw new Error('messages and their entries differ')
  return messages
}

test('a conversation is one row with its newest message, the number of messages, and who replied', async (t) => {
  const office = t.context
  const family = await newFamily(office, [
    { id: 'c1' },
    { id: 'other', subject: 'Invoice' },
    { id: 'c2', subject: 'Re: Question', names: ['c1'] },
  ])
  t.deepEqual(shown((await browse(office, family.owner)).entries), ['This is c2. 2', 'This is other. 1'])
  const newest = (await browse(office, family.owner)).entries[0]?.message?.id ?? ''
  const reply = { messageId: newest, lovedOneId: family.lovedOne.id, body: 'Thank you', idempotencyKey: 'k' }
  await untilAnswered(() => office.inbox.replyToMessage(reply, { token: family.owner }))
  await untilAnswered(() =>
    office.inbox.replyToMessage({ ...reply, idempotencyKey: 'l', assistant: 'Claude' }, { token: family.owner }),
  )
  const [row] = (await browse(office, family.viewer)).entries
  t.like(row, { turnCount: 4, replied: true, repliedBy: ['Ines Santos', 'Ines Santos’s assistant'], hasDraft: false })
  const found = async (from: string) => shown((await browse(office, family.owner, { from: [from] })).entries)
  t.deepEqual(await found('ines'), ['This is c2. 4'], 'found by who replied')
  await office.inbox.changeCategory(
    { lovedOneId: family.lovedOne.id, messageId: newest, category: Category.BILLING },
    { token: family.owner },
  )
  await indexed(office, family)
  t.deepEqual(await found('Ines San'), ['This is c2. 4'], 'also when it was indexed again')
  t.deepEqual(await found('rui'), [])
  t.deepEqual(
    (await office.messages({ ...family.lovedOne, token: family.owner })).map(({ preview }) => preview),
    ['This is c2.', 'This is other.', 'This is c1.'],
    'tools list messages',
  )
})

test('opening a conversation shows its messages in order and marks them all as read', async (t) => {
  const office = t.context
  const family = await newFamily(office, [
    { id: 'o1' },
    { id: 'o2', names: ['o1'] },
    { id: 'o3', names: ['o1', 'o2'], text: 'x'.repeat(9000) },
  ])
  const { owner, viewer, lovedOne } = family
  const [row] = (await browse(office, owner)).entries
  t.true(row?.unread)
  const first = (await browse(office, owner, { search: '"is o1"' })).entries[0]?.message?.id ?? ''
  const draft = { messageId: first, lovedOneId: lovedOne.id, body: 'Not yet', idempotencyKey: 'd' }
  await untilAnswered(() => office.inbox.saveDraft(draft, { token: owner }))
  const opened = await open(office, owner, lovedOne.id, row?.message?.id ?? '', true)
  t.deepEqual(
    opened.others.map(({ body, unread, hasDraft }) => [body.trim(), unread, hasDraft]),
    [
      ['This is o1.', true, true],
      ['This is o2.', true, false],
    ],
  )
  t.true((await browse(office, owner)).entries[0]?.hasDraft)
  t.deepEqual((await browse(office, owner, { unread: true })).entries, [])
  t.is((await browse(office, owner)).unread[0]?.count, 0)
  t.is((await browse(office, viewer)).unread[0]?.count, 3, 'each person has their own')
  const long = (await open(office, viewer, lovedOne.id, first)).others[1]
  t.is(long?.body.length, 8000)
  t.true(long?.bodyTruncated)
  const marked = { lovedOneId: lovedOne.id, messageId: first, read: false }
  await untilAnswered(() => office.inbox.markMessage(marked, { token: owner }))
  t.deepEqual(shown((await browse(office, owner, { unread: true })).entries), ['This is o1. 3'])
})

test('each conversation is on one page only, with filters, search and unread, while mail arrives', async (t) => {
  const office = t.context
  const mails = Array.from({ length: 12 }, (_, index): Mail => {
    const conversation = index % 4
    return {
      id: `p${index}`,
      subject: `Topic ${conversation}`,
      names: index < 4 ? [] : [`p${conversation}`],
      text: `zebra ${index}`,
    }
  })
  const family = await newFamily(office, mails)
  const pages = async (wanted: Partial<BrowseMessagesRequest>) => {
    const seen: string[] = []
    for (let pageToken = '', turns = 0; turns < 10; turns += 1) {
      const page = await browse(office, family.owner, { ...wanted, pageSize: 1, pageToken })
      seen.push(...shown(page.entries))
      pageToken = page.nextPageToken
      if (pageToken === '') break
    }
    return seen
  }
  const all = ['zebra 11 3', 'zebra 10 3', 'zebra 9 3', 'zebra 8 3']
  t.deepEqual(await pages({}), all)
  t.deepEqual(await pages({ search: 'zebra' }), all)
  t.deepEqual(await pages({ unread: true }), all)
  t.deepEqual(await pages({ category: Category.OTHER }), all)
  t.deepEqual(await pages({ search: '"zebra 2"' }), ['zebra 2 3'], 'the message that matches is shown')
  const first = await browse(office, family.owner, { pageSize: 2 })
  await send(office, family.lovedOne, { id: 'late', names: ['p1'], text: 'zebra late' })
  await indexed(office, family)
  const second = await browse(office, family.owner, { pageSize: 2, pageToken: first.nextPageToken })
  t.deepEqual(shown(second.entries), ['zebra 8 3'], 'the other moved to the first page')
})

test('the mails of two loved ones never join, nor those of two families', async (t) => {
  const office = t.context
  const family = await newFamily(office, [], 2)
  const [rosa, joao] = family.lovedOnes as [LovedOne, LovedOne]
  const strangers = await newFamily(office, [{ id: 's1' }])
  await send(office, rosa, { id: 's1' })
  await send(office, joao, { id: 's2', names: ['s1'] })
  await send(office, joao, { id: 's3', names: ['s1'] })
  await indexed(office, family)
  t.is((await conversations(office, family)).length, 2)
  const [row] = (await browse(office, family.owner, { lovedOneId: rosa.id })).entries
  t.deepEqual((await open(office, family.owner, rosa.id, row?.message?.id ?? '')).others, [])
  t.deepEqual(shown((await browse(office, strangers.owner)).entries), ['This is s1. 1'])
})

test('whatever the order of arrival, with two processes at once and one killed, the same mails end in one conversation', async (t) => {
  const office = t.context
  // Chains that meet late: each mail names only the one before it, and the last ones join chains.
  const mails: Mail[] = Array.from({ length: 40 }, (_, index) => ({
    id: `r${index}`,
    subject: 'Re: Chain',
    names: index < 4 ? ['root'] : index % 10 === 9 ? [`r${index - 4}`, `r${index - 5}`] : [`r${index - 4}`],
  }))
  await using second = await startSecondInbox(office.stack)
  const family = await newFamily(office)
  const [lovedOne] = family.lovedOnes as [LovedOne]
  const order = mails.toSorted(() => Math.random() - 0.5)
  const sent = Promise.all(
    order.map((mail, index) => send(office, lovedOne, mail, index % 2 === 0 ? second.smtpPort : undefined)),
  )
  for (let kills = 0; kills < 3; kills += 1) {
    await sleep(150)
    office.stack.kill('inbox')
  }
  await sent
  await office.stack.waitReady()
  await indexed(office, family)
  const groups = await conversations(office, family)
  t.is(groups.length, 1)
  t.is(groups[0]?.split(' ').length, 40)
  const [row] = (await browse(office, family.owner)).entries
  t.is(row?.turnCount, 40)
})

test('when a conversation is full, new mail starts another row', async (t) => {
  const office = t.context
  const family = await newFamily(office, [{ id: 'l0' }])
  const { lovedOne } = family
  const messages = office.db.collection<{ _id: string }>('messages')
  const entries = office.db.collection<{ _id: string }>('index_entries')
  const copy = async (collection: typeof messages) => {
    const sample = await collection.findOne({ lovedOneId: lovedOne.id } as never)
    const prefix = String(sample?._id).replace(/[^/]+$/, '')
    const rows = Array.from({ length: 199 }, (_, index) => ({ ...sample, _id: `${prefix}msg_x${index}` }))
    await collection.insertMany(rows as never[])
  }
  await copy(messages)
  await copy(entries)
  await send(office, lovedOne, { id: 'l1', names: ['l0'] })
  await indexed(office, family)
  t.deepEqual(
    (await browse(office, family.owner)).entries.map(({ turnCount }) => turnCount),
    [1, 200],
  )
})
