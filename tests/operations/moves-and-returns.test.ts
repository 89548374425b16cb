import { writeFile } from 'node:fs/promises'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import test from 'ava'
import { type Family, send, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { HAS_DOVECOT, PASSWORD, startDovecot } from '../inbox/_dovecot.ts'
import { plainMail } from '../inbox/_smtp-client.ts'
import { backup, makeFolders, startMongodIn } from './_move.ts'
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
    t.is((await owner.get(path)).status, 303, 'the cookie of the home is refused')
    const again = await signIn(inCluster, sink, family.people.owner)
    t.regex((await again.get(path)).text, new RegExp(`${LETTER}[\\s\\S]*${NOTE}`))
    t.deepEqual(await jwksOf(cluster), idTokenKeys, 'as assistants know them')
    await account.deliver(plainMail('Fetched by the cluster'))
    await arrives(inCluster, LETTER, 'Fetched at home', 'Fetched by the cluster')
    await cluster.stop()

    await backup(['from-cluster', folders.keys], { DATA_DIR: folders.back, MONGODB_URI: mongod.uri })
    const back = cleanUp.use(await startStack({ env, serviceEnv, dataDir: folders.back, processes: 'single' }))
    const atHome: Family = { ...home, stack: back }
    t.is((await again.get(path)).status, 303, 'the cookie of the cluster is refused')
    const last = await signIn(atHome, sink, family.people.owner)
    t.regex((await last.get(path)).text, new RegExp(`${LETTER}[\\s\\S]*${NOTE}`))
    t.deepEqual(await jwksOf(back), idTokenKeys)
    await account.deliver(plainMail('Fetched at home again'))
    await arrives(atHome, LETTER, 'Fetched at home', 'Fetched by the cluster', 'Fetched at home again')
  },
)

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

async function jwksOf({ inboxUrl }: Stack): Promise<unknown> {
  return (await send(`${inboxUrl}/oauth/jwks`)).json
}
