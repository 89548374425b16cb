import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { environmentToConfig as localStackConfig } from '@family-inbox/local-stack/config'
import { newKey, newSecret, publicHalf } from '@family-inbox/local-stack/secrets'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { environmentToConfig as siteConfig } from '@family-inbox/site/config'
import anyTest, { type TestFn } from 'ava'
import { environmentToConfig as inboxConfig } from '../../services/inbox/src/config.ts'
import { type Family, send, startFamily } from '../_family.ts'
import { startSecondGateway } from '../_second-gateway.ts'

const test = anyTest.serial as TestFn<Family>

const LOCAL = {
  BASE_URL: 'http://localhost:8080',
  API_URL: 'http://localhost:8081',
  INBOX_URL: 'http://localhost:8082',
}

/** Settings that make an installation reachable. */
const REACHABLE: readonly (readonly [setting: string, value: string])[] = [
  ['BASE_URL', 'https://family.example'],
  ['API_URL', 'http://192.168.1.7:8081'],
  ['INBOX_URL', 'https://inbox.family.example'],
  ['INBOX_URL', 'http://localhost.evil.example:8082'],
  ['INBOX_URL', 'http://127.0.0.1.nip.io:8082'],
  ['SMTP_HOST', '0.0.0.0'],
  ['SMTP_HOST', '::'],
]

anyTest.before(async (t) => {
  t.context = await startFamily()
})

anyTest.after.always(async (t) => {
  await (t.context as Partial<Family>)[Symbol.asyncDispose]?.()
})

test('without a mail server, npm start refuses to be reachable and says what to set', async (t) => {
  for (const [setting, value] of [...REACHABLE, ['HTTP_HOST', '0.0.0.0'], ['HTTP_HOST', '::']] as const)
    t.throws(() => localStackConfig({ ...LOCAL, [setting]: value }), {
      message: new RegExp(`^SMTP_URL is missing: ${setting} is .*$`),
    })
  const { code, output } = await run('packages/local-stack/src/start.ts', { ...LOCAL, HTTP_HOST: '0.0.0.0' })
  t.is(code, 78, 'as a wrong setting: no use starting again')
  t.regex(output, /^SMTP_URL is missing: HTTP_HOST is 0\.0\.0\.0, .*$/)
})

test('so does the inbox service, which would keep mail in a folder', async (t) => {
  const MAILBOX_SECRET_KEYS = newSecret('key-list')
  const own = {
    ...serviceSettings('inbox'),
    ...LOCAL,
    MAILBOX_SECRET_KEYS,
    SMTP_HOST: '127.0.0.1',
    GRPC_HOST: '127.0.0.1',
  }
  t.is(inboxConfig(own).smtpUrl, undefined, 'on one’s own machine it may')
  for (const [setting, value] of [...REACHABLE, ['GRPC_HOST', '0.0.0.0']] as const) {
    const env = { ...own, [setting]: value }
    t.throws(() => inboxConfig(env), { message: new RegExp(`^SMTP_URL is missing: ${setting} is .*$`) })
    t.notThrows(() => inboxConfig({ ...env, SMTP_URL: 'smtps://mail.example.org' }))
    const byName = { SMTP_PROVIDER: 'Fastmail', SMTP_USER: 'ana', SMTP_PASSWORD: 'b' }
    t.is(inboxConfig({ ...env, ...byName }).smtpUrl, 'smtps://ana:b@smtp.fastmail.com:465')
  }
  const { code, output } = await run('services/inbox/src/main.ts', {
    ...own,
    INBOX_URL: 'https://inbox.family.example',
  })
  t.is(code, 1)
  t.regex(output, /^SMTP_URL is missing: INBOX_URL is https:\/\/inbox\.family\.example, .*$/)
})

test('so does the site, which would show the mail', (t) => {
  const own = { ...serviceSettings('site'), ...LOCAL, HTTP_HOST: '127.0.0.1', OUTBOX_DIR: '/tmp/outbox' }
  t.is(siteConfig(own).outboxDir, '/tmp/outbox')
  const reachable = REACHABLE.filter(([setting]) => setting !== 'SMTP_HOST')
  for (const [setting, value] of [...reachable, ['HTTP_HOST', '0.0.0.0']] as const)
    t.throws(() => siteConfig({ ...own, [setting]: value }), {
      message: new RegExp(`^OUTBOX_DIR is wrong: ${setting} is .*$`),
    })
})

test('on loopback the unsent mail is shown, but not under someone else’s host name', async (t) => {
  const { inboxUrl, httpAddresses } = t.context.stack
  const { port } = new URL(inboxUrl)
  t.is((await send(`${inboxUrl}/dev/mail`)).status, 200)
  for (const door of [`http://127.0.0.1:${port}`, `http://${httpAddresses.site}`])
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
    ]) {
      const { status, text } = await send(`${door}/dev/mail`, { headers: { host } })
      t.is(status, 421, `${door} as ${host}`)
      t.notRegex(text, /sign-in/i)
    }
})

test('the unsent mail is not shown through a tunnel or proxy on this machine', async (t) => {
  const { inboxUrl } = t.context.stack
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-forwarded-host', 'x-real-ip']) {
    const { status } = await send(`${inboxUrl}/dev/mail`, { headers: { [header]: '203.0.113.9' } })
    t.is(status, 404, header)
  }
  t.is((await send(`${inboxUrl}/sign-in`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status, 200)
})

test('a gateway with a public address does not show the unsent mail', async (t) => {
  const { stack } = t.context
  const second = { API_URL: 'https://api.family.example', SITE_HTTP_ADDRESS: `http://${stack.httpAddresses.site}` }
  await using gateway = await startSecondGateway(stack, second)
  const { host } = new URL(stack.inboxUrl)
  t.is((await send(`http://${gateway.address}/sign-in`, { headers: { host } })).status, 200)
  t.is((await send(`http://${gateway.address}/dev/mail`, { headers: { host } })).status, 404)
})

/** Runs a program that is expected to exit. @returns its output without startup messages */
function run(file: string, env: Record<string, string>): Promise<{ code: unknown; output: string }> {
  const options = { env: { PATH: readEnvironment().PATH, ...env }, timeout: 60_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(REPOSITORY, file)], options, (error, stdout, stderr) => {
      resolve({ code: error?.code, output: `${stdout}${stderr}`.trim() })
    })
  })
}

function serviceSettings(service: 'inbox' | 'site'): Record<string, string> {
  const key = newKey(service)
  return {
    SERVICE_KEY: JSON.stringify(key),
    SERVICE_KEYS: JSON.stringify({ keys: [publicHalf(key)] }),
    MONGODB_URI: 'mongodb://127.0.0.1:1/inbox?replicaSet=rs0',
    NATS_URL: 'nats://127.0.0.1:1',
    ...Object.fromEntries(
      ['AUTH', 'CARE_CIRCLE', 'INBOX', 'PIPE', 'SANDBOX'].map((name) => [`${name}_ADDRESS`, '127.0.0.1:1']),
    ),
  }
}
