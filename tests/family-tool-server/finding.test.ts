import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { deliver } from '../inbox/_smtp-client.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'

const test = anyTest as TestFn<{ f: Guest; rosa: string }>

// biome-ignore lint/suspicious/noExplicitAny: results of tools
type Data = any

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const rosa = idOf(f, 'Rosa')
  t.context = { f, rosa }
  await until(async () => (await list(f, { lovedOneId: rosa, query: 'walk' })).messages.length > 0)
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const idOf = ({ family }: Guest, name: string) => family.lovedOnes.find((one) => one.name.startsWith(name))?.id ?? ''

async function call(f: Guest, tool: string, args: object, key = f.family.keys.owner): Promise<Data> {
  const { json } = await f.call(key, tool, args)
  return json.result.isError ? json.result.content[0].text : json.result.structuredContent
}
const list = (f: Guest, args: object, key?: string) => call(f, 'list_inbox_messages', args, key)
const subjects = (data: Data): string[] =>
  typeof data === 'string' ? [data] : data.messages.map(({ subject }: Data) => subject)

test('my assistant finds a letter by a word of its text, and sees where the word is', async (t) => {
  const { f, rosa } = t.context
  const { messages } = await list(f, { lovedOneId: rosa, query: 'INR "blood test"' })
  t.is(messages.length, 1)
  t.is(messages[0].subject, 'Your lab results are ready')
  t.deepEqual(messages[0].matches, [{ field: 'body', words: ['INR', 'blood test'] }])
  t.is(messages[0].body, undefined)
})

test('words are found in subjects, names, addresses and names of files', async (t) => {
  const { f, rosa } = t.context
  const placesOf = async (query: string) =>
    (await list(f, { lovedOneId: rosa, query })).messages.flatMap(({ matches }: Data) =>
      matches.map(({ field }: Data) => field),
    )
  t.true((await placesOf('appointment')).includes('subject'))
  t.true((await placesOf('report.pdf')).includes('attachment'))
  t.true((await placesOf('from:lab')).includes('sender'))
  t.deepEqual(subjects(await list(f, { lovedOneId: rosa, query: 'zebra' })), [])
})

const FILTERS: [says: string, args: object, found: RegExp[]][] = [
  ['a sender', { from: 'pharmacy' }, [/refill/]],
  ['a sender and a word', { from: 'pharmacy', query: 'metoprolol' }, [/refill/]],
  ['a category', { category: 'results' }, [/lab results/]],
  ['files', { hasAttachment: true }, [/lab results/]],
  ['files, as an operator', { query: 'has:file' }, [/lab results/]],
  ['an open status and a word', { status: 'open', query: 'INR' }, [/lab results/]],
  ['nothing that is taken', { status: 'taken' }, []],
  ['the time since tomorrow', { since: new Date(Date.now() + 86_400_000).toISOString() }, []],
  ['the time until 2020', { until: '2020-01-01T00:00:00Z' }, []],
  ['days, as operators', { query: 'INR after:2020-01-01 before:2099-01-01' }, [/lab results/]],
]

for (const [says, args, found] of FILTERS)
  test(`mail is filtered by ${says}`, async (t) => {
    const { f, rosa } = t.context
    const shown = subjects(await list(f, { lovedOneId: rosa, ...args }))
    t.is(shown.length, found.length, shown.join())
    for (const [index, pattern] of found.entries()) t.regex(shown[index] ?? '', pattern)
  })

test('what is null, empty or false is absent', async (t) => {
  const { f, rosa } = t.context
  const nothing = {
    query: '',
    from: null,
    since: '',
    until: null,
    category: null,
    status: null,
    unread: false,
    hasAttachment: null,
  }
  t.deepEqual(subjects(await list(f, { lovedOneId: rosa, ...nothing })), subjects(await list(f, { lovedOneId: rosa })))
})

test('filtered mail comes in pages, each letter once', async (t) => {
  const { f, rosa } = t.context
  for (const filter of [{ until: '2099-01-01T00:00:00Z' }, { status: 'open' }, { query: 'the' }]) {
    const whole = subjects(await list(f, { lovedOneId: rosa, ...filter }))
    t.true(whole.length > 1)
    const paged: string[] = []
    for (let cursor: string | undefined, pages = 0; pages < 20; pages += 1) {
      const page: Data = await list(f, { lovedOneId: rosa, ...filter, limit: 1, cursor })
      paged.push(...subjects(page))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    t.deepEqual(paged, whole)
  }
})

const WRONG: [args: object, says: RegExp][] = [
  [{ query: 'INR after:someday' }, /after:2026-05-01.*“someday”/],
  [{ query: 'has:money' }, /has:file/],
  [{ query: '…' }, /no word in it/],
  [{ from: '---' }, /no word in it/],
  [{ query: 'x'.repeat(201) }, /query must be at most 200/],
  [{ since: 'yesterday' }, /since must be an ISO 8601 time/],
  [{ category: 'spam' }, /category must be one of: appointment, results/],
  [{ status: 'closed' }, /status must be one of: open, taken, done, not_needed/],
  [{ unread: 'maybe' }, /unread must be true or false/],
]

for (const [args, says] of WRONG)
  test(`a search that cannot be read says what is right: ${JSON.stringify(args).slice(0, 60)}`, async (t) => {
    const { f, rosa } = t.context
    t.regex(await list(f, { lovedOneId: rosa, ...args }), says)
  })

test('a search of another family’s loved one looks like one of nobody', async (t) => {
  const { f, rosa } = t.context
  const other = await f.another({ withMail: true })
  const search = { query: 'INR' }
  t.is(
    await list(f, { lovedOneId: rosa, ...search }, other.keys.owner),
    await list(f, { lovedOneId: 'lo_none', ...search }, other.keys.owner),
  )
  const [letter] = (await list(f, { lovedOneId: rosa, ...search })).messages
  const own = await list(f, { lovedOneId: other.lovedOnes[0]?.id, query: 'from:lab' }, other.keys.owner)
  t.false(own.messages.some(({ id }: Data) => id === letter.id))
})

test('done mail and read mail are found as such', async (t) => {
  await using f = await joinFamily('standard', { withMail: true })
  const rosa = idOf(f, 'Rosa')
  const find = (args: object) => list(f, { lovedOneId: rosa, ...args })
  await until(async () => subjects(await find({ status: 'open', query: 'refill' })).length === 1)
  const unread = subjects(await find({ unread: true }))
  const [refill] = (await find({ query: 'refill' })).messages
  const ana = await signIn(f, f.sink, f.family.people.owner)
  await ana.get(`/inbox/${rosa}/${refill.id}`)
  await ana.submit(`/inbox/${rosa}/${refill.id}/status`, { act: 'done' })
  t.deepEqual(subjects(await find({ status: 'done' })), [refill.subject])
  t.deepEqual(subjects(await find({ status: 'done', unread: true })), [])
  t.deepEqual(
    subjects(await find({ unread: true })),
    unread.filter((subject) => subject !== refill.subject),
  )
  t.false(subjects(await find({ status: 'open' })).includes(refill.subject))
})

test('a letter names the others of its conversation, and what it adds to what it quotes', async (t) => {
  const { f } = t.context
  const { id: jorge = '', inboxAddress: address = '' } = f.family.lovedOnes[1] ?? {}
  const mail = (id: string, headers: string[], lines: string[]) =>
    ['From: Desk <desk@clinic.example>', `Message-ID: <${id}@clinic.example>`, ...headers, '', ...lines, ''].join(
      '\r\n',
    )
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
  const subject = `Physiotherapy ${first.slice(0, 8)}`
  await deliver(f.stack.smtpPort, address, mail(first, [`Subject: ${subject}`], ['Shall we say Monday?']))
  const answer = [
    'Tuesday is better.',
    '',
    'On Mon, Nov 2, 2026 at 9:00 AM Desk <desk@clinic.example> wrote:',
    '> Shall we say Monday?',
  ]
  const names = [`Subject: Re: ${subject}`, `In-Reply-To: <${first}@clinic.example>`]
  await deliver(f.stack.smtpPort, address, mail(second, names, answer))
  const read = async () => {
    const { messages } = await list(f, { lovedOneId: jorge, limit: 2 })
    return call(f, 'get_inbox_message', { lovedOneId: jorge, messageId: messages[0].id })
  }
  await until(async () => (await read()).conversation?.length === 2)
  const letter = await read()
  t.is(letter.newText, 'Tuesday is better.')
  t.true(letter.body.includes('> Shall we say Monday?'), 'the body stays whole')
  t.is(letter.conversation[1].id, letter.id)
  t.is(letter.conversation[0].sender, 'Desk <desk@clinic.example>')
  t.true(letter.untrusted.includes('newText'))
  const earlier = await call(f, 'get_inbox_message', { lovedOneId: jorge, messageId: letter.conversation[0].id })
  t.is(earlier.newText, undefined, 'it quotes nothing')
})

test('what an attached document says is given only while the owner allows it, and marked as an outsider’s', async (t) => {
  await using f = await joinFamily()
  const { id: rosa = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  const page = (line: string, lines: number) =>
    Array.from({ length: lines }, (_, at) => `BT /F1 9 Tf 50 ${800 - 12 * at} Td (${line}) Tj ET`).join(' ')
  const pdf = (...pages: string[]) => attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf(pages)))
  const long = page('x'.repeat(80), 60)
  const parts = [text('The report is attached.'), pdf(page('INR 2.6', 1)), pdf(long, long, long)]
  await openMailer(f.stack).deliver(inboxAddress, multipartMail({ Subject: 'Report' }, 'mixed', parts))
  await until(async () => (await list(f, { lovedOneId: rosa, query: 'INR' })).messages.length === 1)
  const [{ id: messageId }] = (await list(f, { lovedOneId: rosa })).messages
  const read = (key?: string) => call(f, 'get_inbox_message', { lovedOneId: rosa, messageId }, key)
  const texts = ({ attachments }: Data) => attachments.map((file: Data) => file.text)
  t.deepEqual(texts(await read()), [undefined, undefined])
  t.false((await read()).untrusted.includes('attachments[].text'))

  const owner = await signIn(f, f.sink, f.family.people.owner)
  const luis = await signIn(f, f.sink, f.family.people.coordinator)
  t.is((await luis.submit('/settings/notes', { files: '1' })).status, 403)
  await owner.submit('/settings/notes', { files: '1' })
  const allowed = await read(f.family.keys.viewer)
  const [first, second] = texts(allowed)
  t.is(first, 'INR 2.6')
  t.true(second.length > 7000 && first.length + second.length <= 8000, `${second.length}`)
  t.true(allowed.untrusted.includes('attachments[].text'))
  t.is(allowed.notes, undefined)

  await owner.submit('/settings/notes', {})
  t.deepEqual(texts(await read()), [undefined, undefined], 'from the next call on')
})
