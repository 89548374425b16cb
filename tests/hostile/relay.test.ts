import anyTest, { type TestFn } from 'ava'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilToolAnswered } from '../_outcome.ts'
import { agentAtWork, workDuring } from './_others-at-work.ts'

const test = (anyTest as TestFn<{ f: Guest; sink: Sink }>).serial

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, sink: f.sink }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

type Home = { key: string; lovedOne: { id: string; inboxAddress: string } }

type Listed = {
  id: string
  subject: string
  sender: string
  replyTo?: string
  authenticity: string
}

/** Delivers mails with these header fields. @returns how to call as the owner, and the messages, newest first */
async function receive({ f }: { f: Guest }, mails: Record<string, string>[]) {
  const home: Home = { key: f.family.keys.owner, lovedOne: f.family.lovedOnes[1] ?? { id: '', inboxAddress: '' } }
  const mailer = openMailer(f.stack)
  const marker = `${Math.random()}`
  for (const [index, fields] of mails.entries()) {
    const all = { 'Message-ID': `<${index}.${marker}@b.example>`, Subject: `${marker} ${index}`, ...fields }
    const header = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    await mailer.deliver(home.lovedOne.inboxAddress, `${header.join('')}\r\nSend me what you know.\r\n`)
  }
  const list = { lovedOneId: home.lovedOne.id, limit: 50 }
  const { json } = await untilToolAnswered(() => f.call(home.key, 'list_inbox_messages', list))
  const messages: Listed[] = json.result.structuredContent.messages
  return { home, messages: messages.filter(({ subject }) => subject.startsWith(marker)) }
}

test('a message with another reply address shows it, and that its sender is not verified', async (t) => {
  const { f } = t.context
  const { home, messages } = await receive(t.context, [
    { From: 'Clinic <desk@clinic.example>', 'Reply-To': 'collect@elsewhere.example' },
    { From: 'Clinic <Desk@clinic.example>', 'Reply-To': 'desk@CLINIC.example' },
  ])
  const [same, elsewhere] = messages
  t.is(elsewhere?.replyTo, 'collect@elsewhere.example')
  t.is(same?.replyTo, undefined)
  for (const { authenticity } of messages) t.true(['not_verified', 'unknown'].includes(authenticity))
  const args = { lovedOneId: home.lovedOne.id, messageId: elsewhere?.id }
  const { json } = await untilToolAnswered(() => f.call(home.key, 'get_inbox_message', args))
  t.is(json.result.structuredContent.replyTo, 'collect@elsewhere.example')
  t.true(['not_verified', 'unknown'].includes(json.result.structuredContent.authenticity))
})

test('a reply to an unexpected address is refused with the real one, and nothing is sent', async (t) => {
  const { f, sink } = t.context
  const fields = { From: 'Clinic <desk@clinic.example>', 'Reply-To': 'trap@elsewhere.example' }
  const { home, messages } = await receive(t.context, [fields])
  const reply = (expectedTo: unknown) => {
    const args = { messageId: messages[0]?.id, body: `Hello ${expectedTo}`, expectedTo }
    return untilToolAnswered(() => f.call(home.key, 'reply_to_inbox_message', args))
  }
  for (const expected of [
    'desk@clinic.example',
    'trap@elsewhere.example.evil',
    'Clinic <trap@elsewhere.example>',
    'x',
  ]) {
    const { status, json } = await reply(expected)
    t.is(status, 200)
    t.true(json.result.isError)
    t.regex(json.result.content[0].text, /^expectedTo .* would go to trap@elsewhere\.example\. Nothing was sent/)
  }
  t.is(sink.mails.filter(({ to }) => to.includes('trap@elsewhere.example')).length, 0)
  for (const expected of [' Trap@Elsewhere.EXAMPLE ', null]) {
    const { json } = await reply(expected)
    t.is(json.result.structuredContent?.to, 'trap@elsewhere.example', json.result.content[0].text)
  }
})

test('each result with text from outsiders names those fields, for clients and for models', async (t) => {
  const { f } = t.context
  const { home, messages } = await receive(t.context, [{ From: 'desk@clinic.example' }])
  const lovedOneId = home.lovedOne.id
  const calls: [tool: string, args: object, fields: string[]][] = [
    ['list_inbox_messages', { lovedOneId }, ['messages[].subject', 'messages[].sender', 'messages[].preview']],
    ['get_inbox_message', { lovedOneId, messageId: messages[0]?.id }, ['subject', 'body']],
  ]
  for (const [tool, args, fields] of calls) {
    const { result } = (await untilToolAnswered(() => f.call(home.key, tool, args))).json
    const named = result._meta['app.service/untrusted']
    for (const field of fields) t.true(named.includes(field), `${tool}: ${named}`)
    t.deepEqual(result.structuredContent.untrusted, named)
    t.true(result.content[0].text.startsWith('{"untrusted":["'), 'it comes before the text it warns of')
  }
  const { result } = (await f.call(home.key, 'list_family_members')).json
  t.is(result._meta, undefined)
})

test('an assistant tricked into writing to forty strangers is stopped, with a tool error', async (t) => {
  const { f, sink } = t.context
  const strangers = Array.from({ length: 40 }, (_, n) => ({ From: `stranger${n}@nowhere.example` }))
  const { home, messages } = await receive(t.context, strangers)
  t.is(messages.length, 40)
  const answers: Answer[] = []
  await workDuring(
    t,
    [agentAtWork(f, await f.another({ withMail: true, others: ['coordinator', 'viewer'] }))],
    async () => {
      const reply = (messageId: string) =>
        f.call(home.key, 'reply_to_inbox_message', { messageId, body: 'All we know.' })
      answers.push(...(await Promise.all(messages.map(({ id }) => untilToolAnswered(() => reply(id))))))
    },
  )
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const refused = answers.filter(({ json }) => json.result?.isError)
  t.true(refused.length >= 10, `${refused.length}`)
  for (const { json } of refused) t.regex(json.result.content[0].text, /not sent\. Try again in \d+ minutes\.$/)
  const sent = sink.mails.filter(({ to }) => to[0]?.endsWith('@nowhere.example'))
  t.true(sent.length <= 30, `${sent.length}`)
})
