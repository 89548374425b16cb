import { setTimeout as sleep } from 'node:timers/promises'
import { services } from '@family-inbox/local-stack/services'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { BSON, type MongoClient } from 'mongodb'
import type { Browser } from 'playwright-core'
import { databaseName, openDatabase } from '../_database.ts'
import { type Family, joinFamily, startFamily } from '../_family.ts'
import { receiveLetter, submitFiles } from '../_letter.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { openSealed } from '../_sealed.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { connectApplication } from '../_visitor.ts'
import { becomesTrue, readUntil } from '../_wait.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { openWith, type Sink, signIn } from './_app.ts'
import { fill, mailWith } from './_fill.ts'

const test = anyTest.serial as TestFn<{ f: Family; sink: Sink; browser: Browser; mongo: MongoClient }>
const onScreen = findChromium() === undefined ? test.skip : test
type Stored = { mongo: MongoClient; stack: SharedStack }
/** Each look reads every document. */
const LOOK_AT_ALL_EVERY_MS = 1000

test.before(async (t) => {
  const sink = await startMailSink()
  // Of its own, or there would be much to read.
  const f = await startFamily({ env: { SMTP_URL: sink.url } })
  const browser = findChromium() === undefined ? (undefined as never) : await openBrowser()
  t.context = { f, sink, browser, mongo: await openDatabase(f.stack) }
})
test.after.always(async (t) => {
  const { f, sink, browser, mongo } = t.context
  await browser?.close()
  await mongo?.close()
  await f?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

onScreen('the owner deletes the inbox by typing its name, and no database keeps its data', async (t) => {
  const { f, sink, browser, mongo } = t.context
  const stored = { mongo, stack: f.stack }
  const family = await f.another({ others: ['coordinator', 'viewer'] })
  const canary = `zq${randomText(14)}`
  const owner = await fill(f, sink, family, canary)
  t.true((await everythingIn(stored)).includes(canary))
  t.true((await collectionsWith(stored, [`Inside ${canary}`])).includes('inbox.attachment_texts'))
  t.true((await collectionsWith(stored, [`Sheet ${canary}`])).includes('care-circle.emergency_sheets'))
  const keyId = (await openSealed(f.stack, mongo.db(databaseName(f.stack, 'inbox')))).keyIdOf(family.workspaceId)
  t.true((await collectionsWith(stored, [keyId])).includes('inbox.workspace_keys'))
  const others = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })

  await using context = await openWith(f, browser, owner.cookie, { javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${f.stack.inboxUrl}/settings/your-data`)
  await page.getByRole('link', { name: 'Delete your family’s inbox' }).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  t.regex((await page.locator('.problems').textContent()) ?? '', /Enter the name exactly as shown/)
  await page.getByLabel('To confirm').fill('the almeida family ')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.waitForURL(`${f.stack.inboxUrl}/welcome`)
  await page.getByRole('link', { name: 'delete your account' }).click()
  await page.getByRole('heading', { name: 'Delete your account?' }).waitFor()

  t.is((await openMailer(f.stack).offer(family.lovedOnes[0]?.inboxAddress ?? '', mailWith(canary))) >= 500, true)
  await untilGone(stored, [
    canary,
    keyId,
    Buffer.from(keyId, 'base64url'),
    ...family.lovedOnes.map(({ name }) => `${name}${canary}`),
  ])
  for (const key of Object.values(family.keys)) t.is((await f.call(key, 'list_loved_ones')).status, 401)
  t.deepEqual(await whatStays(stored, family.workspaceId), STAYS)
  const after = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })
  t.deepEqual(after.json, others.json, 'another family’s mail is unchanged')
})

test('only the owner can delete the inbox, on the page and in the form', async (t) => {
  const { f, sink } = t.context
  const { people, keys } = await f.another({ others: ['coordinator', 'viewer'] })
  for (const email of [people.coordinator, people.viewer]) {
    const visitor = await signIn(f, sink, email)
    t.false((await visitor.get('/settings/your-data')).text.includes('delete-workspace'))
    t.is((await visitor.get('/settings/your-data/delete-family')).status, 403)
    const confirm = { confirm: 'The Almeida family' }
    t.is((await visitor.submit('/settings/your-data/delete-family', confirm)).status, 403)
  }
  t.is((await f.call(keys.owner, 'list_loved_ones')).json.result.structuredContent.lovedOnes.length, 2)
})

test('a deletion finishes even if every service is killed meanwhile', async (t) => {
  await using f = await joinFamily('mortal')
  await using mongo = await openDatabase(f.stack)
  const { family, sink, stack } = f
  const stored = { mongo, stack }
  const canary = `zq${randomText(14)}`
  const owner = await fill(f, sink, family, canary)
  stack.kill('nats-server')
  const answer = await owner.submit('/settings/your-data/delete-family', { confirm: 'The Almeida family' })
  t.true(answer.status === 303 || answer.status === 503, `${answer.status}`)
  for (const name of ['care-circle', 'inbox', 'auth', 'nats-server'] as const) {
    stack.kill(name)
    await sleep(200)
  }
  await stack.waitReady()
  await untilGone(stored, [canary])
  t.deepEqual(await whatStays(stored, family.workspaceId), STAYS)
})

test('deleting an account erases the person everywhere; the family keeps its mail', async (t) => {
  const { f, sink, mongo } = t.context
  const family = await f.another({ others: ['coordinator', 'viewer'] })
  const { people, keys, lovedOnes } = family
  const email = people.coordinator
  const visitor = await signIn(f, sink, email)
  await visitor.submit('/settings/notifications', { mode: 'digest', timeZone: 'UTC' })
  const { access_token } = await connectApplication({ ...f, family }, visitor, ['care_circle:read'])
  const letter = await receiveLetter(f, visitor, family)
  const unsent = { name: `${email}.pdf`, bytes: Buffer.from(`%PDF-1.7 ${email}`) }
  t.is((await submitFiles(f, visitor, `${letter.path}/attachments`, { key: 'k' }, [unsent])).status, 200)
  const readFirst = async () => {
    const list = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId: lovedOnes[0]?.id })
    return list.json.result.structuredContent.messages[0] as { id: string; status?: string; assignedTo?: string }
  }
  await visitor.submit(`/inbox/${lovedOnes[0]?.id}/${(await readFirst()).id}/status`, { act: 'take' })
  t.like(await readFirst(), { status: 'taken', assignedTo: 'Luis Almeida' })
  t.is((await visitor.submit('/settings/your-data/delete-account', { confirm: people.owner })).status, 422)
  const done = await visitor.submit('/settings/your-data/delete-account', { confirm: email.toUpperCase() })
  t.is(done.status, 200)
  t.true(done.text.includes('Account deleted'))
  t.is((await visitor.get('/settings')).status, 303)
  t.is((await f.call(keys.coordinator, 'ping')).status, 401)
  t.is((await f.call(access_token, 'ping')).status, 401)
  await untilGone({ mongo, stack: f.stack }, [email])
  await becomesTrue(async () => (await readFirst()).status === 'open')
  t.like(await readFirst(), { status: 'open', assignedTo: undefined }, 'what they had taken is open again')
  const left = await f.call(keys.owner, 'list_family_members')
  t.is(left.json.result.structuredContent.members.length, 2)
  const list = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId: lovedOnes[0]?.id })
  t.true(list.json.result.structuredContent.messages.length > 0)
  const again = await signIn(f, sink, email)
  t.is((await again.get('/')).headers.location, '/families', 'the same address starts over with nothing')
})

test('the only owner cannot delete their account before handing over the inbox', async (t) => {
  const { f, sink, mongo } = t.context
  const { people, keys } = await f.another()
  const owner = await signIn(f, sink, people.owner)
  const refused = await owner.submit('/settings/your-data/delete-account', { confirm: people.owner })
  t.is(refused.status, 422)
  t.true(refused.text.includes('You are the only owner of a family’s inbox'))
  t.is((await f.call(keys.owner, 'ping')).status, 200)
  const removals = mongo.db(databaseName(f.stack, 'auth')).collection('account_removals')
  t.is(await removals.countDocuments({ email: people.owner }), 0, 'a refused deletion does not happen later')
  t.is((await owner.get('/settings')).status, 200)
})

/** Every document of every database of the stack, as BSON, with its sealed values open if there is a key for them. */
async function* documents({ mongo, stack }: Stored): AsyncGenerator<{ namespace: string; bytes: Buffer }> {
  for (const { name, database } of services) {
    if (database === undefined) continue
    const db = mongo.db(databaseName(stack, name))
    const { open } = await openSealed(stack, mongo.db(databaseName(stack, 'inbox')))
    for (const { name: collection } of await db.listCollections({ type: 'collection' }).toArray())
      for await (const document of db.collection(collection).find())
        yield { namespace: `${name}.${collection}`, bytes: Buffer.from(BSON.serialize(open(document))) }
  }
}

async function everythingIn(stored: Stored): Promise<Buffer> {
  const found: Buffer[] = []
  for await (const { bytes } of documents(stored)) found.push(bytes)
  return Buffer.concat(found)
}

/** The collections that contain any of the words. */
async function collectionsWith(stored: Stored, words: (string | Buffer)[]): Promise<string[]> {
  const found = new Set<string>()
  for await (const { namespace, bytes } of documents(stored))
    if (!found.has(namespace) && words.some((word) => bytes.includes(word))) found.add(namespace)
  return [...found].sort()
}

/** Bare ids: no address is issued twice, and nothing that comes late is stored. */
const STAYS = ['inbox.inbox_addresses', 'inbox.removed_workspaces', 'pipe.links']

/** Counters go after what is in the family’s words. */
function whatStays(stored: Stored, workspaceId: string): Promise<string[]> {
  return readUntil(
    () => collectionsWith(stored, [workspaceId]),
    (found) => found.length <= STAYS.length,
  )
}

async function untilGone(stored: Stored, words: (string | Buffer)[]): Promise<void> {
  const left = () => collectionsWith(stored, words)
  const isGone = await becomesTrue(async () => (await left()).length === 0, 60_000, LOOK_AT_ALL_EVERY_MS)
  if (!isGone) throw new Error(`still in ${(await left()).join(', ')}`)
}
