import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@family-inbox/ops/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { type Family, send, startFamily } from '../_family.ts'
import { beginMail, openMailer } from '../_mailer.ts'
import { until } from '../_wait.ts'
import { foundWorkspace, type LovedOne, type Workspace } from '../_workspace.ts'
import { attachment, html, mail, multipartMail, text } from '../mail-corpus/build-mail.ts'

/** A unique word that marks personal data. */
const canaries: Record<string, string> = {}
function canary(what: string): string {
  canaries[what] ??= `zq${randomText(14)}`
  return canaries[what]
}

const LOOKUP_FAILED = 'an address lookup failed'
const CALL_FAILED = 'tool call failed'

let world: Family
let workspace: Workspace
let lovedOne: LovedOne
let key: string

test.before(async () => {
  world = await startFamily({ separate: ['inbox'], ownMongod: true })
  workspace = await foundWorkspace(world.stack, {
    workspace: `The ${canary('name of the family')} family`,
    owner: `Ada ${canary('name of the owner')}`,
    viewer: `Ben ${canary('name of the viewer')}`,
    relationship: canary('relationship'),
    emailDomain: `${canary('email address')}.example`,
    keyName: canary('name of a key'),
  })
  key = (await workspace.owner.mintKey()).secret
  lovedOne = await workspace.addLovedOne(`Eve ${canary('name of the loved one')}`)
  canaries['tool key'] = key
  canaries['inbox address'] = lovedOne.inboxAddress.split('@')[0] ?? ''
  for (const [role, secret] of Object.entries(world.family.keys)) canaries[`tool key of the ${role}`] = secret
  await useEverything()
  await breakEverything()
  await untilNoMailIsDue(world.stack, workspace.workspaceId)
})
test.after.always(async () => {
  workspace?.[Symbol.dispose]()
  await world?.[Symbol.asyncDispose]()
})

test('no log line contains a name, address, subject, body, key or other personal text', async (t) => {
  const folder = join(world.stack.dataDir, 'logs')
  const files = (await readdir(folder)).map((name) => join(folder, name))
  t.true(files.includes(world.stack.logs('gateway')) && files.includes(world.stack.logs('mongod')))
  for (const file of files) {
    const content = await readFile(file, 'utf8')
    t.deepEqual(whatIsIn(content), [], file)
    t.false(/\beyJ[\w-]{10,}\.eyJ/.test(content), `${file} holds a token`)
    t.false(content.includes('sk-sand-'), `${file} holds a key`)
  }
  // Slow-query logs would quote the names and addresses, but only when a query happens to be slow.
  t.false((await readFile(world.stack.logs('mongod'), 'utf8')).includes('Slow query'), 'mongod logs slow queries')
  t.true(await logHas('inbox', LOOKUP_FAILED))
  t.true(await logHas('gateway', CALL_FAILED))
})

test('MongoDB and the NATS files contain only the hash of a tool key', async (t) => {
  const stored = await everythingIn(world.stack.mongoUri)
  const files = await filesUnder(join(world.stack.dataDir, 'nats-server'))
  const keys = Object.entries(canaries).filter(([what]) => what.startsWith('tool key'))
  t.is(keys.length, 4)
  for (const [what, secret] of keys) {
    for (const part of [secret, secret.slice('sk-sand-'.length), secret.slice(-20)]) {
      t.false(stored.includes(part), what)
      t.false(files.includes(part), what)
    }
  }
  // Proves that the search works.
  t.true(stored.includes(canary('name of a key')))
  t.false(stored.includes(canary('subject')), 'it is sealed')
})

/** Sends a marker in every field, through every entry point. */
async function useEverything() {
  const { stack } = world
  const mailer = openMailer(stack)
  const rich = richMail()
  const address = lovedOne.inboxAddress
  await Promise.all([
    mailer.deliver(address, rich),
    mailer.deliver(address, rich),
    mailer.offer(`${canary('unknown recipient')}@${stack.mailDomain}`, rich),
    mailer.offer(address, mail({ 'X-Odd': canary('header') }, `\0${canary('odd body')}`)),
    ...[badDialogue(address), callTools(), badCalls(), strangeRequests(), sameEmailTwice()].map((work) =>
      work.catch(() => {}),
    ),
  ])
}

async function callTools() {
  const lovedOneId = lovedOne.id
  const call = (tool: string, args = {}) => world.call(key, tool, args)
  await Promise.all([
    ...['ping', 'get_user_profile', 'list_loved_ones', 'list_family_members'].map((tool) => call(tool)),
    call('list_inbox_messages', { lovedOneId }),
    call('get_inbox_message', { lovedOneId, messageId: canary('id that is none') }),
    call('list_inbox_messages', { lovedOneId, cursor: canary('cursor') }),
    call('list_inbox_messages', { lovedOneId, [canary('argument')]: canary('value') }),
    call('invite_family_member', { email: `${canary('invited email')}@family.example`, role: 'viewer' }),
    call('reply_to_inbox_message', { lovedOneId, messageId: 'msg_0', body: canary('reply') }),
    call(canary('unknown tool'), { [canary('name of a value')]: 1 }),
  ])
}

async function badCalls() {
  const { post } = world
  await Promise.all([
    post(`sk-sand-${canary('wrong key')}`, { jsonrpc: '2.0', id: 1, method: 'ping' }),
    post(`${canary('other credential')}.x`, { jsonrpc: '2.0', id: canary('id of a call'), method: canary('method') }),
    post(key, `{"jsonrpc":"2.0","id":1,"params":{"body":"${canary('malformed body')}"`),
    post(key, `{"body":"${canary('invalid UTF-8')}\ud800`),
    post(key, canary('large body').repeat(20_000)),
  ])
}

async function strangeRequests() {
  const { apiUrl, inboxUrl, baseUrl } = world.stack
  const headers = { 'user-agent': canary('user agent'), referer: canary('referer'), cookie: `a=${canary('cookie')}` }
  for (const url of [apiUrl, inboxUrl, baseUrl]) {
    await send(`${url}/mcp/v1?token=${canary('query')}`, { headers })
    await send(`${url}/${canary('path')}/%E0%A4%A`, { headers })
    await send(`${url}/mcp/v1`, { headers: { ...headers, host: `${canary('host')}.example` } })
    await send(`${url}/mcp/v1`, { method: 'POST', body: canary('text body'), headers })
  }
}

function richMail(): Buffer {
  const fields = {
    Subject: `About ${canary('subject')}`,
    From: `${canary('sender name')} <${canary('sender address')}@clinic.example>`,
    'Message-ID': `<${canary('Message-ID')}@clinic.example>`,
  }
  return multipartMail(fields, 'mixed', [
    text(`Dear ${canary('body')}`),
    html(`<p>${canary('HTML body')}</p>`),
    attachment(`${canary('file name')}.pdf`, 'application/pdf', Buffer.from(canary('attachment'))),
  ])
}

/** Invalid SMTP commands, and a mail that is cut off. */
async function badDialogue(to: string) {
  const dialogue = await beginMail(world.stack, to)
  dialogue.shout(`Subject: ${canary('broken off')}\r\n\r\nHel`)
  dialogue.hangUp()
  const other = await beginMail(world.stack, to)
  await other.say('.')
  await other.say(`MAIL FROM:<${canary('envelope sender')}@x.example> SIZE=99999999`)
  await other.say(`RCPT TO:<${canary('bad recipient')}@`)
  await other.say(canary('SMTP command'))
  other.hangUp()
}

/** Violates a unique index, whose error quotes the value. */
async function sameEmailTwice() {
  using services = await connect(world.stack.target)
  const person = { name: canary('name of a person'), email: `${canary('email twice')}@family.example` }
  for (const _ of [1, 2]) await services.auth.createPerson(person).catch(() => {})
}

async function logHas(name: 'gateway' | 'inbox', words: string): Promise<boolean> {
  return (await readFile(world.stack.logs(name), 'utf8')).includes(words)
}

/** Repeats everything while MongoDB stops, while it, NATS and inbox are killed, and after they return. */
async function breakEverything() {
  const { stack } = world
  await stack.pause('mongod')
  const stopped = useEverything()
  await until(async () => (await logHas('gateway', CALL_FAILED)) && (await logHas('inbox', LOOKUP_FAILED)))
  stack.resume('mongod')
  await stopped
  const killed = useEverything()
  for (const name of ['mongod', 'inbox', 'nats-server'] as const) {
    await sleep(40)
    stack.kill(name)
  }
  await killed
  await stack.waitReady()
  await useEverything()
}

function whatIsIn(content: string): string[] {
  const lower = content.toLowerCase()
  return Object.keys(canaries).filter((what) => lower.includes(String(canaries[what]).toLowerCase()))
}

/** Every stored document, the oplog included, as bytes. */
async function everythingIn(uri: string): Promise<Buffer> {
  const client = await new MongoClient(uri).connect()
  const found: Buffer[] = []
  try {
    const { databases } = await client.db().admin().listDatabases()
    for (const { name } of databases) {
      for (const { name: collection } of await client
        .db(name)
        .listCollections({ type: 'collection', name: { $not: OF_MONGOD } })
        .toArray())
        for await (const document of client.db(name).collection(collection).find({}, { raw: true }))
          found.push(document as unknown as Buffer)
    }
  } finally {
    await client.close()
  }
  return Buffer.concat(found)
}

async function filesUnder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))))
}

/** Its own users, keys and progress, which not even the operator may read. */
const OF_MONGOD = /^(system|replset)\./
