import { randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { newId } from '@family-inbox/service-kit/ids/ids'
import test from 'ava'
import type { Document } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Answer, type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { createRandom, scaled } from '../_random.ts'
import { signIn } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { mail } from '../mail-corpus/build-mail.ts'

const CLIENTS = scaled(40, 200)
const CALLS_EACH = scaled(25, 100)
const ABORTED_PERCENT = 15
const TRY_AGAIN = '"code":-32603'
const MAX_TRIES = 20
const WITH_MAIL = { withMail: true, others: ['coordinator', 'viewer'] } as const

/** A family, and every string that only its members may see. */
type Home = {
  family: DemoFamily
  keys: string[]
  lovedOneId: string
  messageId: string
  subject: string
  own: string[]
}

let world: Guest & { sink: Sink }
let homes: [Home, Home, Home]

test.before(async () => {
  world = await joinFamily('standard', WITH_MAIL)
  const [second, third] = [await world.another(WITH_MAIL), await world.another(WITH_MAIL)]
  homes = [await settle(world.family), await settle(second), await settle(third)]
})
test.after.always(() => world?.[Symbol.asyncDispose]())

async function settle(family: DemoFamily): Promise<Home> {
  const { workspaceId, people, lovedOnes } = family
  const { id: lovedOneId = '', inboxAddress = '' } = lovedOnes[0] ?? {}
  const subject = `Only for ${newId('canary')}`
  await openMailer(world.stack).deliver(inboxAddress, mail({ Subject: subject }, subject))
  const ids = await messageIds(family.keys.viewer, lovedOneId)
  const own = [workspaceId, ...Object.values(people), ...lovedOnes.flatMap((one) => [one.id, one.inboxAddress]), ...ids]
  return {
    family,
    keys: Object.values(family.keys),
    lovedOneId,
    messageId: ids[0] ?? '',
    subject,
    own: [...own, subject],
  }
}

async function messageIds(key: string, lovedOneId: string): Promise<string[]> {
  const { json } = await world.call(key, 'list_inbox_messages', { lovedOneId })
  return json.result.structuredContent.messages.map(({ id }: { id: string }) => id)
}

test.serial('no answer reaches another caller, even when many share ids and disconnect', async (t) => {
  const gateway = world.stack.pid('gateway')
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  using agent = openAgent()
  const wrong: string[] = []
  let aborted = 0
  const client = async (index: number) => {
    const home = homes[index % homes.length] as Home
    const strangers = homes.filter((other) => other !== home)
    const foreign = strangers.flatMap(({ own }) => own)
    const key = home.keys[index % 3] as string
    for (let id = 0; id < CALLS_EACH; id += 1) {
      const [name, args, expected] = aCall(home, strangers[id % 2] as Home, random.between(0, 7))
      const hangUpAfterMs = random.between(0, 100) < ABORTED_PERCENT ? random.between(0, 25) : undefined
      const isBusy = (answer: string | undefined) => isOwn(answer ?? '', id, TRY_AGAIN, foreign)
      let tries = 0
      // As a client does, so that a busy machine answers every call in the end.
      const answer = await readUntil(
        () => agent.call(key, id, name, args, hangUpAfterMs),
        (answer) => !isBusy(answer) || ++tries === MAX_TRIES,
      )
      if (answer === undefined) aborted += 1
      else if (!isOwn(answer, id, expected, foreign)) wrong.push(`${name} ${id}: ${answer}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
  t.deepEqual(wrong.slice(0, 3), [])
  t.true(aborted > 0 && aborted < (CLIENTS * CALLS_EACH) / 2, `${aborted}`)
  t.is(world.stack.pid('gateway'), gateway, 'nothing died')
})

/** A tool, its arguments, and what its answer must contain. */
function aCall(home: Home, stranger: Home, kind: number): [name: string, args: object, expected: string] {
  const { family, lovedOneId, messageId, subject } = home
  const calls: [string, object, string][] = [
    ['ping', {}, family.workspaceId],
    ['get_user_profile', {}, family.workspaceId],
    ['list_loved_ones', {}, family.lovedOnes[1]?.inboxAddress ?? ''],
    ['list_family_members', {}, family.people.coordinator],
    ['list_inbox_messages', { lovedOneId }, subject],
    ['get_inbox_message', { lovedOneId, messageId }, subject],
    ['get_inbox_message', { lovedOneId, messageId: stranger.messageId }, '"isError":true'],
  ]
  return calls[kind] as [string, object, string]
}

function isOwn(answer: string, id: number, expected: string, foreign: string[]): boolean {
  const isAnswerToThis = answer.startsWith(`{"jsonrpc":"2.0","id":${id},`)
  return isAnswerToThis && answer.includes(expected) && !foreign.some((word) => answer.includes(word))
}

/** Connections are reused and shared between clients, as behind a proxy. */
function openAgent() {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const call = (key: string, id: number, name: string, args: object, hangUpAfterMs?: number) =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const request = httpRequest(`${world.stack.apiUrl}/mcp/v1`, { method: 'POST', headers, agent })
      request.on('response', async (response) => {
        try {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk)
          resolve(Buffer.concat(chunks).toString())
        } catch (error) {
          giveUp(error)
        }
      })
      const giveUp = (error: unknown) => (hangUpAfterMs === undefined ? reject(error) : resolve(undefined))
      request.on('error', giveUp)
      request.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))
      if (hangUpAfterMs !== undefined) setTimeout(() => request.destroy(), hangUpAfterMs)
    })
  return { call, [Symbol.dispose]: () => agent.destroy() }
}

type Tool = {
  name: string
  inputSchema: { properties: object; required?: string[] }
}

test('every tool treats another family’s id like one that does not exist, for every role', async (t) => {
  const [home, stranger] = homes
  for (const tool of await toolsThatTakeIds()) {
    for (const role of ['owner', 'coordinator', 'viewer'] as const) {
      for (const ids of await idsOfEveryKind(tool, home, stranger)) {
        const answers = await Promise.all(ids.map((args) => world.call(home.family.keys[role], tool.name, args)))
        const what = `${tool.name} as ${role}`
        t.is(new Set(answers.map(({ text }) => text)).size, 1, `${what}: ${answers.map(({ text }) => text).join('\n')}`)
        t.is(new Set(answers.map(headersThatTell)).size, 1, `${what}: headers differ`)
        t.is(answers[0]?.status, 200)
        t.true(answers[0]?.json.result?.isError, what)
        t.is(answers[0]?.json.result?.structuredContent, undefined, what)
      }
    }
  }
})

test('every tool refuses an invalid id, names the argument and does not repeat the value', async (t) => {
  const [home] = homes
  const values: unknown[] = [
    7,
    null,
    true,
    [],
    ['lo'],
    { $ne: null },
    { $gt: '' },
    { toString: 'x' },
    '',
    'x'.repeat(201),
    'canary'.repeat(9999),
  ]
  for (const tool of await toolsThatTakeIds()) {
    for (const field of idFields(tool)) {
      const isRequired = tool.inputSchema.required?.includes(field) ?? false
      for (const value of values) {
        if (value === null && !isRequired) continue // null is absent
        const args = { ...ownArguments(tool, home), [field]: value }
        const { status, json, text } = await world.call(home.family.keys.owner, tool.name, args)
        t.is(status, 200)
        t.true(json.result?.isError, `${tool.name} ${field}=${JSON.stringify(value).slice(0, 60)}: ${text}`)
        t.true(json.result.content[0].text.includes(field))
        t.false(/canary|xxx|\$ne|\$gt/.test(text))
      }
    }
  }
})

test('the activity of people shows nothing of another family, nor to a member of another one, whatever they ask for', async (t) => {
  const [home, stranger] = homes
  const enter = (email: string) => signIn(world, world.sink, email)
  const pathOf = ({ lovedOneId, messageId }: Home) => `/inbox/${lovedOneId}/${messageId}`
  const [owner, viewer] = [await enter(home.family.people.owner), await enter(home.family.people.viewer)]
  const foreign = await enter(stranger.family.people.owner)
  for (const [visitor, of] of [
    [owner, home],
    [foreign, stranger],
  ] as const)
    await readUntil(
      () => visitor.get(pathOf(of)),
      ({ status }) => status === 200,
    )
  await using mongo = await openDatabase(world.stack, 'auth')
  const entryOf = ({ messageId }: Home) =>
    mongo.db().collection('audit_entries').findOne({ tool: 'open_message', 'message.messageId': messageId })
  const [own, theirs] = [await entryOf(home), await entryOf(stranger)]
  const list = '/settings/family-activity'
  const shown = (await owner.get(`${list}?person=${own?.personId}`)).text
  t.true(shown.includes(home.messageId) && shown.includes(home.subject))
  for (const asked of ['', `?person=${theirs?.personId}`, `?assistant=${theirs?._id}`, `?after=${tokenAt(theirs)}`])
    t.false((await owner.get(list + asked)).text.includes(stranger.messageId), asked)
  for (const asked of ['', `?person=${own?.personId}`, `?after=${tokenAt(own, 1)}`])
    t.false((await viewer.get(list + asked)).text.includes(home.messageId), asked)
})

/** The token of a page that begins with this entry. */
function tokenAt(row: Document | null, later = 0): string {
  return Buffer.from(JSON.stringify([Number(row?.startedAt) + later, `${row?._id}~`])).toString('base64url')
}

async function toolsThatTakeIds(): Promise<Tool[]> {
  const { json } = await world.post(homes[0].family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools = (json.result.tools as Tool[]).filter((tool) => idFields(tool).length > 0)
  if (tools.length < 3) throw new Error('the catalogue has lost its tools')
  return tools
}

function idFields({ inputSchema }: Tool): ('lovedOneId' | 'messageId')[] {
  return (['lovedOneId', 'messageId'] as const).filter((field) => field in inputSchema.properties)
}

/** Arguments that work. */
function ownArguments(tool: Tool, { lovedOneId, messageId }: Home): Record<string, unknown> {
  const all: Record<string, unknown> = { lovedOneId, messageId, body: 'Hello.' }
  const wanted = [...(tool.inputSchema.required ?? []), ...idFields(tool)]
  return Object.fromEntries(wanted.map((field) => [field, all[field]]))
}

/**
 * Two lists of arguments that must get the same answer: in one only the loved one is foreign, in the other only the message
 * is.
 */
async function idsOfEveryKind(tool: Tool, home: Home, stranger: Home): Promise<Record<string, unknown>[][]> {
  const own = ownArguments(tool, home)
  const sister = String(home.family.lovedOnes[1]?.id)
  const [sistersMessage = ''] = await messageIds(home.family.keys.owner, sister)
  const odd = ['nonsense', '../..', 'a/b', '$ne', '__proto__', '\u0000', '0', home.family.workspaceId]
  const messages = [stranger.messageId, sistersMessage, missingMessage(), stranger.lovedOneId, ...odd]
  const lovedOnes = [stranger.lovedOneId, newId('lo'), stranger.family.workspaceId, home.messageId, ...odd]
  const fields = idFields(tool)
  const ofLovedOnes = lovedOnes.map((lovedOneId) => ({ ...own, lovedOneId }))
  if (fields.includes('messageId')) {
    const both = { ...own, lovedOneId: stranger.lovedOneId, messageId: stranger.messageId }
    return [messages.map((messageId) => ({ ...own, messageId })), [...ofLovedOnes, both]]
  }
  return [ofLovedOnes]
}

function missingMessage(): string {
  return `msg_${randomBytes(16).toString('hex')}`
}

/** Headers that should not differ. */
/** Everything except the time and the answer's own id. */
function headersThatTell({ headers: { date: _date, 'x-request-id': _id, ...headers } }: Answer): string {
  return JSON.stringify(headers)
}
