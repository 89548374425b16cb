import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import type { MongoClient } from 'mongodb'
import { migrations } from '../../services/inbox/src/migrations/index.ts'
import { readTextsAgain } from '../../services/inbox/src/migrations/read-texts-again.ts'
import { openDatabase } from '../_database.ts'
import { type Family, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn } from '../_visitor.ts'
import { becomesTrue, readUntil, until } from '../_wait.ts'
import { attachment, html, multipart, multipartMail, part, text } from '../mail-corpus/build-mail.ts'
import { LETTER } from '../mail-corpus/placeholders.ts'

type Row = { _id: string; workspaceId: string; text?: string; words?: string; category: string; original?: unknown }

const test = anyTest as TestFn<{ f: Family; sink: Sink; mongo: MongoClient }>
const VERSION = migrations.indexOf(readTextsAgain)
const PLACEHOLDER = 'Please view in HTML'

test.before(async (t) => {
  const sink = await startMailSink()
  const f = await startFamily({
    separate: ['inbox'],
    // Versions that needed this sealed nothing.
    env: { SMTP_URL: sink.url, NOTIFICATION_DELAY_SECONDS: '1', KEY_ENCRYPTION_KEYS: '[]' },
  })
  t.context = { f, sink, mongo: await openDatabase(f.stack, 'inbox') }
})
test.after.always(async (t) => {
  const { f, sink, mongo } = t.context
  await mongo?.close()
  await f?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

test('mail whose placeholder an earlier version showed is shown after an upgrade, and what the family did with it stays', async (t) => {
  t.timeout(180_000)
  const { f, sink, mongo } = t.context
  const messages = mongo.db().collection<Row>('messages')
  const entries = mongo.db().collection<Row>('index_entries')
  const [rosa] = f.family.lovedOnes
  const mailer = openMailer(f.stack)
  const subjects = ['Small', 'Large', 'Lost', 'Chosen', 'Plain'].map((name) => `${name} ${randomText(8)}`)
  const [small = '', large = '', lost = '', chosen = '', plain = ''] = subjects
  const owner = await signIn(f, sink, f.family.people.owner)
  const mailAbout = (subject: string) => {
    const inside = multipart(
      'alternative',
      [text(subject === plain ? 'See you.' : PLACEHOLDER), html(letterOf(subject))],
      'in',
    )
    const files = subject === large ? [attachment('scan.pdf', 'application/pdf', Buffer.alloc(200_000, 'scan'))] : []
    return multipartMail({ Subject: subject }, 'mixed', [part({ 'Content-Type': inside.type }, inside.body), ...files])
  }
  const letterOf = (subject: string) => (subject === plain ? '<p>See you.</p>' : LETTER)
  const notifications = () =>
    sink.mails.filter(
      ({ to, headers }) => to.includes(f.family.people.owner) && /^Subject: .*new message/m.test(headers),
    ).length
  for (const subject of subjects) await mailer.deliver(rosa?.inboxAddress ?? '', mailAbout(subject))
  const ours = { subject: { $in: subjects } }
  await until(async () => (await messages.countDocuments({ ...ours, indexPending: { $exists: false } })) === 5)
  await owner.submit('/settings/notifications', { mode: 'each', timeZone: 'Europe/Lisbon' })

  const rowOf = async (subject: string) => (await messages.findOne({ subject } as never)) as Row
  const path = `/inbox/${rosa?.id}/${(await rowOf(small))._id.split('/').at(-1)}`
  t.is((await owner.get(path)).status, 200)
  await owner.submit(`${path}/notes`, { note: 'I called them', key: 'one' })
  await owner.submit(`${path}/status`, { act: 'take' })
  // As the version before stored them.
  const before = { text: PLACEHOLDER, preview: PLACEHOLDER, category: 'other' }
  const misread = { subject: { $in: [small, large, lost, chosen] } }
  await messages.updateMany(misread as never, { $set: before, $unset: { textConverted: 1 } } as never)
  await messages.updateOne({ subject: lost } as never, { $unset: { original: 1 } })
  await messages.updateOne({ subject: chosen } as never, { $set: { category: 'billing' } })
  const ids = await messages.distinct('_id', misread as never)
  await entries.updateMany(
    { _id: { $in: ids } },
    { $set: { words: ' please view in html', keys: ['pl'], category: 'other' } as never },
  )
  await entries.updateOne({ _id: (await rowOf(chosen))._id }, { $set: { category: 'billing' } })
  await mongo
    .db()
    .collection<{ _id: string }>('schema')
    .updateOne({ _id: 'schema' }, { $set: { version: VERSION } })
  const untouched = async () => {
    const names = [
      'read_marks',
      'read_watermarks',
      'notes',
      'conversation_statuses',
      'notification_settings',
      'reminders',
    ]
    const rows = names.map((name) => mongo.db().collection(name).find().sort({ _id: 1 }).toArray())
    return JSON.stringify([await Promise.all(rows), await rowOf(plain), await rowOf(lost)])
  }
  const asBefore = await untouched()

  await f.stack.restart('inbox')
  await until(async () => (await rowOf(small)).text !== PLACEHOLDER)
  t.is(await untouched(), asBefore)
  t.is(await mongo.db().collection('schema').countDocuments(), 1)
  const rows = Object.fromEntries(await Promise.all(subjects.map(async (subject) => [subject, await rowOf(subject)])))
  for (const subject of [small, large, chosen]) {
    t.regex(rows[subject].text, /Do not take warfarin tonight/)
    t.like(rows[subject], { textConverted: true, truncated: false })
    t.regex(rows[subject].preview, /^Riverside Cardiology Dear Ms. Almeida/)
    t.regex((await entries.findOne({ _id: rows[subject]._id }))?.words ?? '', / warfarin tonight/)
  }
  t.deepEqual(
    [small, large, lost, chosen].map((subject) => rows[subject].category),
    ['medication', 'medication', 'other', 'billing'],
  )
  t.is((await entries.findOne({ _id: rows[small]._id }))?.category, 'medication')
  t.is((await entries.findOne({ _id: rows[chosen]._id }))?.category, 'billing')

  const page = (
    await readUntil(
      () => owner.get(path),
      ({ status }) => status === 200,
    )
  ).text
  t.true(page.includes('Do not take warfarin tonight'))
  t.true(page.includes('I called them'))
  const search = async () => {
    const { headers } = await owner.submit('/inbox/search', { words: 'warfarin', for: '' })
    const { text: found } = await owner.get(String(headers.location))
    return [small, large, chosen].every((subject) => found.includes(subject)) && !found.includes(lost)
  }
  t.true(await becomesTrue(search))
  const args = { lovedOneId: rosa?.id, messageId: rows[small]._id.split('/').at(-1) }
  const { json } = await f.call(f.family.keys.owner, 'get_inbox_message', args)
  t.regex(json.result.structuredContent.body, /the next dose is 2.5 mg on Friday/)
  // Later mail is the only one that is announced.
  await mailer.deliver(rosa?.inboxAddress ?? '', multipartMail({ Subject: 'Later' }, 'mixed', [text('See you.')]))
  await until(async () => notifications() > 0)
  t.is(notifications(), 1)
})
