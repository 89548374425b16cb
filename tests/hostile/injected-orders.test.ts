import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { signIn } from '../_visitor.ts'
import { joinPipeWorld, type PipeWorld } from '../event-pipe/_pipe.ts'
import { callTool, mintKey } from '../outgoing-mail/_approval.ts'
import { type Attack, countsByKind, HIDDEN_HTML, MAIL_ATTACKS, orderOf } from './_injected-orders.ts'
import { ORDERS_IN_EVENTS } from './_orders-in-events.ts'
import { type Result, speaksForItself } from './_own-words.ts'

type World = PipeWorld<SharedStack> & { sink: Sink }
type Read = { attack: Attack; id: string; lovedOneId: string; whole: Result }

const test = anyTest as TestFn<{ world: World; key: string; pages: Result[]; letters: Read[]; toolsBefore: string }>
const AT_ONCE = 6

test.before(async (t) => {
  const world = await joinPipeWorld('standard', { withMail: true })
  const toolsBefore = await listTools(world)
  const [, lovedOne = { id: '', inboxAddress: '' }] = world.family.lovedOnes
  const mailer = openMailer(world.stack)
  await inTurns(MAIL_ATTACKS, ({ raw }) => mailer.deliver(lovedOne.inboxAddress, raw))
  const pages = await listAll(world, lovedOne.id)
  const letters = await readAll(world, lovedOne.id, pages)
  const key = await mintKey(await signIn(world, world.sink, world.family.people.owner), 'approval')
  t.context = { world, key, pages, letters, toolsBefore }
})
test.after.always((t) => t.context.world?.[Symbol.asyncDispose]())

async function inTurns<Item, Done>(items: readonly Item[], work: (item: Item) => Promise<Done>): Promise<Done[]> {
  const waiting = [...items.entries()]
  const done: Done[] = []
  const takeTurns = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) done[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns))
  return done
}

/** Retries as a client does after "try again in a moment". */
async function ask({ call, family }: World, tool: string, args: object, key = family.keys.owner): Promise<Result> {
  for (;;) {
    const { json } = await call(key, tool, args)
    if (json?.error?.code !== -32_603) return json.result
  }
}

async function listTools({ post, family }: World): Promise<string> {
  return (await post(family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).text
}

async function listAll(world: World, lovedOneId: string): Promise<Result[]> {
  const pages: Result[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await ask(world, 'list_inbox_messages', { lovedOneId, limit: 50, cursor })
    pages.push(page)
    cursor = page.structuredContent.nextCursor
    if (cursor === undefined) return pages
  }
}

type Listed = { id: string; sender: string; preview: string }

const messagesOf = (pages: Result[]): Listed[] => pages.flatMap(({ structuredContent }) => structuredContent.messages)

async function readAll(world: World, lovedOneId: string, pages: Result[]): Promise<Read[]> {
  const listed = messagesOf(pages)
  return inTurns(MAIL_ATTACKS, async (attack) => {
    const id = listed.find(({ sender }) => sender.includes(attack.from))?.id
    if (id === undefined) throw new Error(`not in the inbox: ${attack.kind}, ${attack.name}`)
    const whole = await ask(world, 'get_inbox_message', { lovedOneId, messageId: id })
    return { attack, id, lovedOneId, whole }
  })
}

test('what outsiders write is only in the fields that a result names as theirs', (t) => {
  const { pages, letters } = t.context
  for (const page of pages) speaksForItself(t, page, 'list')
  for (const { attack, whole } of letters) speaksForItself(t, whole, `${attack.kind}, ${attack.name}`)
})

test('orders in plain text arrive as they were written, as data', (t) => {
  const onOneLine = (text: string) => cleanText(text).replace(/\s+/g, ' ').trim()
  for (const { attack, whole } of t.context.letters)
    if (attack.text !== undefined)
      t.is(onOneLine(whole.structuredContent.body), onOneLine(attack.text), `${attack.kind}, ${attack.name}`)
})

test('what HTML hides from a reader is neither in the text nor in the preview', (t) => {
  const listed = messagesOf(t.context.pages)
  for (const { attack, id, whole } of t.context.letters) {
    const { never, shows, name, kind } = attack
    const { body } = whole.structuredContent
    const preview = listed.find((one) => one.id === id)?.preview ?? ''
    if (never !== undefined) t.false(`${body} ${preview}`.includes(never), `${kind}, ${name}: ${body}`)
    if (shows !== undefined) t.true(body.includes(shows), `${kind}, ${name}: ${body}`)
    if (kind === HIDDEN_HTML) t.true(preview.startsWith('See you on Monday.'), `${name}: ${preview}`)
  }
})

test('whatever a mail says, a reply goes only to the address that its result names', async (t) => {
  const { world, key, letters } = t.context
  await inTurns(letters, async ({ attack, id, whole }) => {
    const { sender, replyTo = attack.from, originalSenderVerified } = whole.structuredContent
    if (attack.kind === 'fake forwarding headers') t.is(originalSenderVerified, false, attack.name)
    const expectedTo = replyTo === 'collect@evil.example' ? attack.from : 'collect@evil.example'
    const args = { messageId: id, body: 'All we know.', expectedTo }
    const { isError, text } = await callTool(world, key, 'reply_to_inbox_message', args)
    t.true(isError, `${attack.name}: ${sender}`)
    const refusal = `expectedTo does not match: this reply would go to ${replyTo}. Nothing was sent.`
    t.true(text.startsWith(refusal), `${attack.kind}, ${attack.name}: ${text}`)
  })
  for (const name of ['to', 'cc', 'bcc', 'recipient', 'replyTo', 'from']) {
    const args = { messageId: letters[0]?.id, body: 'All.', [name]: 'collect@evil.example' }
    const { isError, text } = await callTool(world, key, 'reply_to_inbox_message', args)
    t.true(isError)
    t.regex(text, /^Unknown argument "\w+"\. This tool takes: messageId, /)
  }
})

test('an assistant that obeys, but needs approval, sends, invites and links nobody', async (t) => {
  const { world, key, letters } = t.context
  const { sink } = world
  const email = 'obeyed@evil.example'
  const invited = await callTool(world, key, 'invite_family_member', { email, role: 'coordinator' })
  t.is(invited.data.status, 'waiting_for_approval')
  const code = await callTool(world, key, 'create_provider_code', { lovedOneId: letters[0]?.lovedOneId })
  t.true(code.isError)
  await inTurns(letters.slice(0, 12), async ({ id }) => {
    const { data } = await callTool(world, key, 'reply_to_inbox_message', { messageId: id, body: 'All we know.' })
    t.is(data.status, 'waiting_for_approval')
    t.is(data.replyId, undefined)
  })
  const { structuredContent } = await ask(world, 'list_family_members', {})
  t.false(JSON.stringify(structuredContent).includes(email))
  t.deepEqual(
    sink.mails.filter(({ to }) => to.some((one) => /@(?:evil|attack)\.example$/.test(one))),
    [],
  )
})

test.serial('an assistant that may write and obeys is stopped at its first write in a guarded family', async (t) => {
  const { world, letters } = t.context
  const owner = await signIn(world, world.sink, world.family.people.owner)
  const [lovedOneId = ''] = letters.map((letter) => letter.lovedOneId)
  const writing = await mintKey(owner, 'write')
  const writes = async () => (await ask(world, 'create_provider_code', { lovedOneId }, writing)).content[0]?.text ?? ''
  t.regex(await writes(), /"code":/, 'it may write')
  await owner.submit('/settings/assistants', { setting: 'guarded', value: 'on' })
  t.regex(await writes(), /"code":/, 'it has read nothing')
  t.teardown(() => owner.submit('/settings/assistants', { setting: 'guarded', value: 'off' }))
  const { workspaceId } = world.family
  await using mongo = await openDatabase(world.stack, 'care-circle')
  const members = mongo.db().collection('members')
  for (const { attack, id } of letters) {
    // Each attack for itself, as if it were the first mail that was read.
    await members.updateMany({ workspaceId }, { $unset: { guardMarks: 1 } })
    await ask(world, 'get_inbox_message', { lovedOneId, messageId: id }, writing)
    t.regex(await writes(), /unverified sender/, `${attack.kind}, ${attack.name}`)
  }
  const { id: messageId = '' } = letters[0] ?? {}
  const email = 'guarded@evil.example'
  const first = await callTool(world, writing, 'invite_family_member', { email, role: 'coordinator' })
  t.is(first.data.status, 'waiting_for_approval')
  const second = await callTool(world, writing, 'reply_to_inbox_message', { messageId, body: 'All we have.' })
  t.is(second.data.status, 'waiting_for_approval')
  t.false(world.sink.mails.some(({ to }) => to.includes(email)))
})

test('reports of an agency, and its name, are only in the fields that a result names as theirs', async (t) => {
  const { world } = t.context
  const agency = await world.addAgency({ name: orderOf('name') })
  const subjectRef = await world.link(agency)
  const posted = await inTurns(Object.entries(ORDERS_IN_EVENTS), async ([name, write]) => {
    const { status, json } = await agency.post(agency.event(subjectRef, write(orderOf('event'))))
    t.is(status, 202, name)
    return String(json.event_id ?? json.eventId)
  })
  t.is(new Set(posted).size, posted.length)
  const lovedOneId = world.lovedOneId
  let result = await ask(world, 'list_care_events', { lovedOneId, limit: 50 })
  while (result.structuredContent.events.length < posted.length)
    result = await ask(world, 'list_care_events', { lovedOneId, limit: 50 })
  speaksForItself(t, result, 'events')
  const { untrusted, events } = result.structuredContent
  t.deepEqual(untrusted, ['events[].eventType', 'events[].source', 'events[].details'])
  t.notRegex(JSON.stringify(events), /<script|<img|system_prompt|caregiver|administered_by/i)
})

test('the tools and their descriptions are the same after every attack', async (t) => {
  const { world, toolsBefore } = t.context
  t.is(await listTools(world), toolsBefore)
  t.notRegex(toolsBefore, /order-|evil/)
})

test('docs/security.md lists the attacks by kind, with their numbers', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')
  const counts = [...countsByKind()]
  const listed = counts.map(([kind]) => [kind, Number(new RegExp(`^\\| ${kind} +\\| +(\\d+) `, 'm').exec(page)?.[1])])
  t.deepEqual(listed, counts)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  t.true(total >= 150)
  t.true(page.includes(`${total} attacks`), `${total}`)
})
