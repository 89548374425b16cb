import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { chromium } from 'playwright-core'
import { send } from '../_family.ts'
import { Visitor } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { HAS_DOVECOT, PASSWORD, startDovecot } from '../inbox/_dovecot.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { mintKey } from '../outgoing-mail/_approval.ts'
import { findChromium } from '../site/_browser.ts'
import { CAN_BUILD_IMAGES } from './_build-image.ts'
import { startCaddy } from './_caddy.ts'
import type { Container } from './_container.ts'
import { buildNewer, type Household, NEWER, openHousehold } from './_household.ts'

const test = anyTest as TestFn
/** Skipped without Debian's buildah, runc, mmdebstrap and Dovecot, without a Chromium, or without root. */
const inOneRun = CAN_BUILD_IMAGES && HAS_DOVECOT && findChromium() !== undefined ? test : test.skip

const INBOX = 'https://inbox.family.example'
const BY_SMTP = 'Blood test on Monday'
const BY_IMAP = 'The bill of the pharmacy'
const AFTER_MOVE = 'Fetched by the new server'

/** The checks that cannot be green on a test machine: its names are not in DNS, the mail provider signs, and there is no second machine for copies. */
const NOT_GREEN = [
  ...['BASE_URL in DNS', 'API_URL in DNS', 'INBOX_URL in DNS', 'services'],
  ...['MX', 'SPF', 'DKIM', 'DMARC', 'backup copy'],
]
/** The same where no DNS server answers: these parts are skipped. */
const NOT_GREEN_WITHOUT_DNS = ['web', 'mail in', 'mail out', 'backup copy']

inOneRun(
  'one image: set up in a browser, mail comes by SMTP and IMAP, an assistant reads it; killed, upgraded, backed up and rebuilt elsewhere, all is there',
  async (t) => {
    await using cleanUp = new AsyncDisposableStack()
    const { step, table } = openSteps(t)
    const home = await step('build the image', () => openHousehold(cleanUp))
    const dovecot = cleanUp.use(await startDovecot())
    const account = dovecot.account('rosa')
    const caddy = cleanUp.use(await startCaddy(home.ports.http))
    const start = async (image?: string, volume?: string) => {
      const server = await home.start({ ...(image && { image }), ...(volume && { volume }), env: SETTINGS })
      await server.untilReady()
      return server
    }
    for (const volume of ['first', 'second'])
      await giveTo(await home.volume(volume), 'dovecot.pem', (path) => cp(dovecot.caFile, path))

    let server = await step('start', () => start())
    const cookie = await step('set up in a browser', () => setUpInBrowser(server, caddy.port))
    const owner = visitorWith(cookie, home)
    const { address, id } = await addLovedOne(owner)
    const key = await mintKey(owner, 'read')
    await step('a letter by SMTP', async () => {
      t.regex(await deliver(home.ports.smtp, address, plainMail(BY_SMTP)), /^250/)
      await reads(home, key, id, BY_SMTP)
    })
    await step('a letter by IMAP', async () => {
      await addMailbox(owner, dovecot, id)
      await account.deliver(plainMail(BY_IMAP))
      await reads(home, key, id, BY_SMTP, BY_IMAP)
    })

    server = await step('killed and started again', async () => {
      await server.signal('KILL')
      await server.ended()
      return start()
    })
    await step('an assistant reads both', () => reads(home, key, id, BY_SMTP, BY_IMAP))
    await step('build a newer image', () => buildNewer(home.images))
    server = await step('upgraded', async () => {
      await server.signal('TERM')
      await server.ended()
      return start(NEWER)
    })
    t.regex(server.output(), /Made \/data\/server\/backups\/.*\.age\./)
    await step('an assistant reads both', () => reads(home, key, id, BY_SMTP, BY_IMAP))

    const run = async (...args: string[]) => {
      const { code, output } = await server.exec('npm', 'run', '-s', ...args)
      if (code !== 0) throw new Error(output)
      return output.trim()
    }
    const backedUp = await step('backed up', () => run('backup', '--', 'nightly'))
    const printedKey = await run('backup', '--', 'key')
    const examined = await step('the doctor', () => server.exec('npm', 'run', '-s', 'ops', '--', 'doctor', '--json'))
    await server.signal('TERM')
    await server.ended()

    await step('rebuilt on another volume', async () => {
      const [from, to] = [await home.volume('first'), await home.volume('second')]
      const [name = ''] = /[^/]+\.tar\.gz\.age$/m.exec(backedUp) ?? []
      const kept = join(from, 'server/backups')
      for (const each of [name, 'workspace-keys.tar.gz.age'])
        await giveTo(to, each, (path) => cp(join(kept, each), path))
      await giveTo(to, 'key.txt', (path) => writeFile(path, printedKey))
      const command = ['npm', 'run', '-s', 'backup', '--', 'rebuild', `/data/${name}`, '--key-file', '/data/key.txt']
      const rebuilding = await home.start({ image: NEWER, volume: 'second', command })
      t.is(await rebuilding.ended(), 0, rebuilding.output())
    })
    server = await step('started there', () => start(NEWER, 'second'))
    await step('an assistant reads both there', () => reads(home, key, id, BY_SMTP, BY_IMAP))
    await step('and a letter that came since', async () => {
      await account.deliver(plainMail(AFTER_MOVE))
      await reads(home, key, id, BY_SMTP, BY_IMAP, AFTER_MOVE)
    })
    const signedOut = await owner.get('/care-circle')
    t.is(signedOut.status, 303, 'people sign in again')
    t.log(table())
    isGreenButForDns(t, JSON.parse(examined.output).findings)
  },
)

/** A mailbox on this machine, whose certificate no authority of the image signed, and an assistant that asks again and again. */
const SETTINGS = {
  MAILBOXES_ON_PRIVATE_HOSTS: 'true',
  NODE_EXTRA_CA_CERTS: '/data/dovecot.pem',
  TOOL_CALLS_PER_MINUTE: '1000000',
}

function openSteps(t: ExecutionContext) {
  const steps: [name: string, seconds: number][] = []
  const table = () => steps.map(([name, seconds]) => `${seconds.toFixed(1).padStart(6)} s  ${name}`).join('\n')
  return {
    table,
    async step<T>(name: string, work: () => Promise<T>): Promise<T> {
      const from = performance.now()
      try {
        return await work()
      } catch (error) {
        t.log(`${table()}\nfailed at: ${name}`)
        throw error
      } finally {
        steps.push([name, (performance.now() - from) / 1000])
      }
    },
  }
}

/** Puts a file into a volume, readable for the image's user. */
async function giveTo(volume: string, name: string, write: (path: string) => Promise<void>): Promise<void> {
  await mkdir(volume, { recursive: true })
  await write(join(volume, name))
  await chmod(join(volume, name), 0o644)
}

/** @returns the browser's cookie */
async function setUpInBrowser(server: Container, tlsPort: number): Promise<string> {
  const [code = ''] = /\b\w{4}-\w{4}-\w{4}-\w{4}\b/.exec(server.output()) ?? []
  const args = ['--no-sandbox', `--host-resolver-rules=MAP *.family.example 127.0.0.1:${tlsPort}`]
  await using browser = await chromium.launch({ executablePath: findChromium(), args })
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto(`${INBOX}/set-up`)
  await page.getByLabel('Set-up code').fill(code)
  await page.getByLabel('Your name').fill('Ana Silva')
  await page.getByLabel('Your email address').fill('ana@silva.example')
  await page.getByLabel('Family name').fill('The Silva family')
  await page.getByRole('button', { name: 'Create family' }).click()
  await page.waitForURL('**/settings/passkeys')
  return (await context.cookies(INBOX)).map(({ name, value }) => `${name}=${value}`).join('; ')
}

function visitorWith(cookie: string, { ports }: Household): Visitor {
  const visitor = new Visitor({ stack: { inboxUrl: INBOX, reachedAt: `http://127.0.0.1:${ports.http}` } })
  for (const pair of cookie.split('; '))
    visitor.adopt(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  return visitor
}

async function addLovedOne(owner: Visitor): Promise<{ address: string; id: string }> {
  const added = await owner.submit('/care-circle/loved-ones/new', { name: 'Rosa Silva' })
  const { text } = await owner.get(added.headers.location ?? '/')
  const [address = ''] = /[\w.+-]+@in\.family\.example/.exec(text) ?? []
  const [id = ''] = /lo_\w+/.exec(added.headers.location ?? '') ?? []
  return { address, id }
}

async function addMailbox(owner: Visitor, dovecot: { host: string; tlsPort: number }, lovedOneId: string) {
  const server = { with: 'other', host: dovecot.host, port: `${dovecot.tlsPort}`, encryption: 'tls', folder: 'INBOX' }
  const form = { ...server, userName: 'rosa', password: PASSWORD, action: 'leave', withEarlier: '1', for: lovedOneId }
  await owner.save('/settings/mailboxes/add', form)
}

/** Waits until an assistant reads these letters, each once. */
async function reads({ ports }: Household, key: string, lovedOneId: string, ...subjects: string[]): Promise<void> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL('https://api.family.example/mcp/v1'), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    fetch: (url, init) => passOn(`http://127.0.0.1:${ports.http}`, new URL(url), init),
  })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  await readUntil(
    async () => {
      const { structuredContent } = await client.callTool({ name: 'list_inbox_messages', arguments: { lovedOneId } })
      return (structuredContent as { messages?: { subject: string }[] })?.messages?.map(({ subject }) => subject) ?? []
    },
    (found) => subjects.every((subject) => found.filter((each) => each === subject).length === 1),
  )
  await client.close()
}

/** As a proxy passes it on: `fetch` sends no other Host than that of the address. */
async function passOn(origin: string, { host, pathname }: URL, init: RequestInit = {}): Promise<Response> {
  // There is no stream without a call.
  if (init.method !== 'POST') return new Response(null, { status: 405 })
  const forwarded = { host, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
  const headers = { ...Object.fromEntries(new Headers(init.headers)), ...forwarded }
  const answer = await send(origin + pathname, { method: 'POST', headers, body: String(init.body) })
  const { 'content-type': type = 'text/plain' } = answer.headers
  return new Response(answer.text, { status: answer.status, headers: { 'content-type': type } })
}

/** Logs each check that is not green, with its reason. */
function isGreenButForDns(t: ExecutionContext, findings: { check: string; state: string; says: string }[]): void {
  const rest = findings.filter(({ state }) => state !== 'ok')
  for (const { check, state, says } of rest) t.log(`doctor: ${state}: ${check}: ${says}`)
  // Not every test machine reaches a time server.
  const checks = rest.map(({ check }) => check).filter((check) => check !== 'clock')
  t.deepEqual(checks.toSorted(), (checks.includes('web') ? NOT_GREEN_WITHOUT_DNS : NOT_GREEN).toSorted())
  const green = findings.filter(({ state }) => state === 'ok').map(({ check }) => check)
  for (const check of ['disk', 'secrets', 'sign-up', 'backup', 'restore', 'backup key', 'backup before an update'])
    t.true(green.includes(check), check)
}
