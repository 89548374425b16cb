import anyTest, { type TestFn } from 'ava'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Family, startFamily } from '../_family.ts'
import { filesOf, receiveLetter, submitFiles } from '../_letter.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { pngOf } from '../_pdf-and-png.ts'
import { signIn } from '../_visitor.ts'

const test = anyTest.serial as TestFn<{ f: Family; sink: Sink }>

test.before(async (t) => {
  const sink = await startMailSink()
  t.context = { f: await startFamily({ separate: ['inbox'], env: { SMTP_URL: sink.url } }), sink }
})
test.after.always(async (t) => {
  await t.context.f?.[Symbol.asyncDispose]()
  await t.context.sink?.[Symbol.asyncDispose]()
})

test('a reply with files is sent once and whole when inbox is killed before it is sent', async (t) => {
  const { f, sink } = t.context
  const owner = await signIn(f, sink, f.family.people.owner)
  const letter = await receiveLetter(f, owner)
  const bytes = Buffer.concat([Buffer.from(pngOf(900, 700)), Buffer.alloc(3_000_000, 'many bytes ')])
  const form = { key: 'the only key of this form', body: 'With a large picture.' }
  const answer = await submitFiles(f, owner, `${letter.path}/reply`, form, [{ name: 'large.png', bytes }])
  t.is(answer.status, 303, answer.text)
  // Within the time to undo, so only the sweep of the next process can send it.
  f.stack.kill('inbox')
  const [mail] = await sink.waitFor(letter.sender, 1, 60_000)
  t.true(filesOf(mail?.raw ?? '')[0]?.bytes.equals(bytes))
  await untilNoMailIsDue(f.stack, f.family.workspaceId)
  t.is((await sink.waitFor(letter.sender)).length, 1)
})
