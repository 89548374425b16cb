import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startMongod } from '@family-inbox/local-stack/mongod'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { identityKeys, localSecret } from '@family-inbox/local-stack/secrets'
import { REPOSITORY, services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { type Answer, type Family, send, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { HAS_DOVECOT, PASSWORD, startDovecot } from '../inbox/_dovecot.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { startFromKeys } from './_start-from-keys.ts'

const LETTER = 'Blood test on Monday'
const NOTE = 'I will drive her there'

/** The sealed password of a mailbox is of no use without a mail server to try it on. */
const withDovecot = HAS_DOVECOT ? test : test.skip

withDovecot(
  'a family moves from a home server to a cluster and back, and nothing is lost but who is signed in',
  async (t) => {
    await using cleanUp = new AsyncDisposableStack()
    const folders = await makeFolders(cleanUp)
    const sink = cleanUp.use(await startMailSink())
    const dovecot = cleanUp.use(await startDovecot())
    const serviceEnv = { NODE_EXTRA_CA_CERTS: dovecot.caFile, MAILBOXES_ON_PRIVATE_HOSTS: 'true' }
    const home = await startFamily({
      env: { SMTP_URL: sink.url },
      serviceEnv,
      dataDir: folders.home,
      processes: 'single',
    })
    cleanUp.defer(home.stack.stop)
    const { family, stack } = home
    const [rosa] = family.lovedOnes
    const account = dovecot.account('rosa')
    await openMailer(stack).deliver(rosa?.inboxAddress ?? '', plainMail(LETTER))
    const owner = await signIn(home, sink, family.people.owner)
    const path = await pathOf(home, LETTER)
    await owner.save(`${path}/notes`, { note: NOTE, key: 'note' })
    await addMailbox(owner, dovecot, rosa?.id ?? '')
    await account.deliver(plainMail('Fetched at home'))
    await arrives(home, 'Fetched at home')
    const idTokenKeys = await jwksOf(stack)
    t.truthy(idTokenKeys)
    await stack.stop()

    // Its mongod is stopped, too.
    const { stdout: backedUp } = await backup(['nightly'], { DATA_DIR: folders.home })
    const { stdout: key } = await backup(['key'], { DATA_DIR: folders.home })
    await writeFile(folders.keyFile, key)
    const mongod = cleanUp.use(await startMongodIn(folders.replicaSet))
    const move = ['to-cluster', backedUp.trim(), folders.keys, '--key-file', folders.keyFile, '--smtp-url', sink.url]
    await backup([...move, '--mongodb-uri', mongod.uri])
    // Its names lead to the new place.
    const names = {
      BASE_URL: stack.baseUrl,
      API_URL: stack.apiUrl,
      INBOX_URL: stack.inboxUrl,
      SMTP_PORT: `${stack.smtpPort}`,
    }
    const env = { ...names, SMTP_URL: sink.url, SIGN_UP: 'invited' }
    const { keys, cluster: dir } = folders
    const cluster = await startFromKeys({ keys, dir, mongoUri: mongod.uri, env, serviceEnv })
    cleanUp.defer(cluster.stop)
    const inCluster: Family = { ...home, stack: cluster }
    t.is((await answerTo(owner, path)).status, 303, 'the cookie of the home is refused')
    const again = await signIn(inCluster, sink, family.people.owner)
    t.regex((await answerTo(again, path)).text, new RegExp(`${LETTER}[\\s\\S]*${NOTE}`))
    t.deepEqual(await jwksOf(cluster), idTokenKeys, 'as assistants know them')
    await account.deliver(plainMail('Fetched by the cluster'))
    await arrives(inCluster, LETTER, 'Fetched at home', 'Fetched by the cluster')
    await cluster.stop()

    await backup(['from-cluster', folders.keys], { DATA_DIR: folders.back, MONGODB_URI: mongod.uri })
    const back = cleanUp.use(await startStack({ env, serviceEnv, dataDir: folders.back, processes: 'single' }))
    const atHome: Family = { ...home, stack: back }
    t.is((await answerTo(again, path)).status, 303, 'the cookie of the cluster is refused')
    const last = await signIn(atHome, sink, family.people.owner)
    t.regex((await answerTo(last, path)).text, new RegExp(`${LETTER}[\\s\\S]*${NOTE}`))
    t.deepEqual(await jwksOf(back), idTokenKeys)
    await account.deliver(plainMail('Fetched at home again'))
    await arrives(atHome, LETTER, 'Fetched at home', 'Fetched by the cluster', 'Fetched at home again')
  },
)

test('a move overwrites nothing, and does not begin without all keys', async (t) => {
  await using cleanUp = new AsyncDisposableStack()
  const folders = await makeFolders(cleanUp)
  const mongod = cleanUp.use(await startMongodIn(folders.replicaSet))
  const source = cleanUp.use(await startMongodIn(folders.home))
  const client = cleanUp.use(await new MongoClient(source.uri).connect())
  await client.db('inbox').collection('messages').insertOne({ text: 'of the home' })
  await makeSecrets(folders.home)
  const atHome = { DATA_DIR: folders.home, MONGODB_URI: source.uri }
  // A backup replaces the one of the same day.
  await mkdir(folders.cluster)
  const [file, lacking] = [join(folders.cluster, 'complete'), join(folders.cluster, 'lacking')]
  await cp((await backup(['nightly'], atHome)).stdout.trim(), file)
  await rm(join(folders.home, 'secrets/KEY_ENCRYPTION_KEYS.json'))
  await cp((await backup(['nightly'], atHome)).stdout.trim(), lacking)
  await writeFile(folders.keyFile, (await backup(['key'], atHome)).stdout)
  const toCluster = (from: string, settings = {}) =>
    backup(['to-cluster', from, folders.keys, '--key-file', folders.keyFile, '--mongodb-uri', mongod.uri], settings)
  const fromCluster = (settings = {}) =>
    backup(['from-cluster', folders.keys], { DATA_DIR: folders.back, MONGODB_URI: mongod.uri, ...settings })

  await t.throwsAsync(toCluster(lacking), {
    message: /The backup lacks KEY_ENCRYPTION_KEYS: set each as the server did/,
  })
  await t.throwsAsync(stat(folders.keys), { code: 'ENOENT' }, 'there is no half of a folder')
  await toCluster(lacking, { KEY_ENCRYPTION_KEYS: '["as the server did"]' })
  t.is(await readFile(join(folders.keys, 'inbox/KEY_ENCRYPTION_KEYS'), 'utf8'), '["as the server did"]')
  await t.throwsAsync(toCluster(file), { message: /keys is not empty\. Name a new folder for the keys\./ })
  const kept = join(folders.cluster, 'kept')
  await cp(folders.keys, kept, { recursive: true })
  await rm(folders.keys, { recursive: true })
  await t.throwsAsync(toCluster(file), { message: /The database inbox is not empty\./ })
  await t.throwsAsync(stat(folders.keys), { code: 'ENOENT' })

  await cp(kept, folders.keys, { recursive: true })
  await rm(join(folders.keys, 'care-circle/INVITATION_KEY'))
  await t.throwsAsync(fromCluster(), { message: /keys lacks INVITATION_KEY: take the folder/ })
  await t.throwsAsync(stat(folders.back), { code: 'ENOENT' })
  await cp(kept, folders.keys, { recursive: true })
  await t.throwsAsync(fromCluster({ DATA_DIR: folders.home }), {
    message: /is not empty\. Set DATA_DIR to a new folder/,
  })
  const dumped = join(folders.cluster, 'dumped')
  await backup(['make', dumped], { MONGODB_URI: mongod.uri })
  const { stdout } = await backup(['from-cluster', folders.keys, dumped], { DATA_DIR: folders.back })
  t.regex(stdout, /^inbox\.messages: 1$/m)
  for (const name of ['inbox.jwk.json', 'OIDC_JWKS.json', 'DKIM_KEY.json']) {
    const [was, is] = await Promise.all([folders.home, folders.back].map((each) => readSecret(each, name)))
    t.deepEqual(is, was, name)
  }
})

async function makeFolders(cleanUp: AsyncDisposableStack) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-move-'))
  cleanUp.defer(() => rm(dir, { recursive: true, force: true }))
  const names = ['home', 'cluster', 'replicaSet', 'keys', 'back', 'keyFile'] as const
  return Object.fromEntries(names.map((name) => [name, join(dir, name)])) as Record<(typeof names)[number], string>
}

/** The secrets of a home server that `npm start` makes. */
async function makeSecrets(dataDir: string): Promise<void> {
  await identityKeys(dataDir)
  for (const { secrets = {} } of services)
    for (const [name, kind] of Object.entries(secrets)) await localSecret(dataDir, name, kind)
}

/** The line end of a PEM file is gone, which services do not read either. */
async function readSecret(dataDir: string, name: string): Promise<unknown> {
  const value = JSON.parse(await readFile(join(dataDir, 'secrets', name), 'utf8'))
  return typeof value === 'string' ? value.trimEnd() : value
}

async function startMongodIn(dataDir: string) {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const dir = join(dataDir, 'mongod')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

function backup(args: string[], settings: Record<string, string> = {}) {
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  return promisify(execFile)(process.execPath, [main, ...args], {
    timeout: 120_000,
    env: { ...process.env, ...settings },
  })
}

async function addMailbox(owner: Visitor, dovecot: { host: string; tlsPort: number }, lovedOneId: string) {
  const server = { with: 'other', host: dovecot.host, port: `${dovecot.tlsPort}`, encryption: 'tls', folder: 'INBOX' }
  const form = { ...server, userName: 'rosa', password: PASSWORD, action: 'leave', withEarlier: '1', for: lovedOneId }
  await owner.save('/settings/mailboxes/add', form)
}

async function subjectsOf({ stack, family }: Family): Promise<{ id: string; subject: string }[]> {
  const call = {
    name: 'list_inbox_messages',
    arguments: { lovedOneId: family.lovedOnes[0]?.id, limit: 50 },
  }
  const { json } = await send(`${stack.apiUrl}/mcp/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${family.keys.owner}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  })
  return json?.result?.structuredContent?.messages ?? []
}

/** Through an assistant, whose key stays. */
async function arrives(f: Family, ...subjects: string[]): Promise<void> {
  await readUntil(
    async () => (await subjectsOf(f)).map(({ subject }) => subject),
    (found) => subjects.every((subject) => found.filter((each) => each === subject).length === 1),
  )
}

async function pathOf(f: Family, subject: string): Promise<string> {
  const message = (await subjectsOf(f)).find((each) => each.subject === subject)
  return `/inbox/${f.family.lovedOnes[0]?.id}/${message?.id}`
}

/** Once a busy machine answers. */
function answerTo(visitor: Visitor, path: string): Promise<Answer> {
  return readUntil(
    () => visitor.get(path),
    ({ status }) => status !== 503,
  )
}

async function jwksOf({ inboxUrl }: Stack): Promise<unknown> {
  return (await send(`${inboxUrl}/oauth/jwks`)).json
}
