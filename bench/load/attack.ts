import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { Pool } from 'undici'
import { answerQuestions, workerOptions } from '../measure/worker.ts'
import type { Attack, AttackFigures, AttackName, AttackOptions } from '../world/attack-names.ts'

const TICK_MS = 5
const MOST_UNDER_WAY = 64

const { apiUrl, inboxUrl, smtp, inboxAddress, filePath, cookie } = await workerOptions<AttackOptions>()
/** An address of its own: limits by address are the attacker's, not the family's. */
const LOCAL_ADDRESS = '127.0.0.2'
const poolOptions: Pool.Options = { connections: MOST_UNDER_WAY, connect: { localAddress: LOCAL_ADDRESS } }
const pools = { api: new Pool(apiUrl, poolOptions), inbox: new Pool(inboxUrl, poolOptions) }
const mailer = createTransport({
  ...smtp,
  localAddress: LOCAL_ADDRESS,
  secure: false,
  ignoreTLS: true,
  pool: true,
  maxConnections: 8,
})

answerQuestions({}, run)

/** Attacks steadily. A refused or aborted request counts as sent. */
async function run({ name, perSecond, seconds }: Attack): Promise<AttackFigures> {
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  let sent = 0
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - started) {
    for (; sent < (perSecond * elapsed) / 1000 && underWay.size < MOST_UNDER_WAY; sent += 1) {
      const work: Promise<void> = WAYS[name]()
        .then(ignore, ignore)
        .finally(() => underWay.delete(work))
      underWay.add(work)
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  return { sent, seconds: (performance.now() - started) / 1000 }
}

function ignore(): void {}

const WAYS: Record<AttackName, () => Promise<unknown>> = {
  'aborted downloads': async () => {
    const socket = await dial(inboxUrl)
    socket.write(`GET ${filePath} HTTP/1.1\r\nHost: ${new URL(inboxUrl).host}\r\nCookie: ${cookie}\r\n\r\n`)
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
    socket.destroy()
  },
  'slow connections': async () => {
    const socket = await dial(apiUrl)
    for (const text of ['POST /mcp/v1 HTTP/1.1\r\n', 'host: x\r\n', 'content-length: 9\r\n']) {
      socket.write(text)
      await sleep(300)
    }
    socket.destroy()
  },
  'forged events': () => {
    const headers = {
      'content-type': 'application/json',
      'x-pipe-institution': 'somebody-else',
      'x-pipe-timestamp': new Date().toISOString(),
      'x-pipe-signature': `sha256=${'0'.repeat(64)}`,
    }
    return post('api', '/pipe/v1/events', headers, JSON.stringify({ payload: 'x'.repeat(10_000) }))
  },
  'wrong sign-in codes': () =>
    post('inbox', '/sign-in/code', { ...FORM, origin: inboxUrl, cookie: 'sign_in=made-up' }, 'code=00000000'),
  registrations: () =>
    post(
      'inbox',
      '/oauth/register',
      JSON_TYPE,
      JSON.stringify({ redirect_uris: [`https://${randomUUID()}.example/`] }),
    ),
  'mail flood': () =>
    mailer.sendMail({ from: 'flood@example.com', to: inboxAddress, subject: randomUUID(), text: 'x'.repeat(10_000) }),
  'sandbox starts': () => post('inbox', '/api/mcp/public', JSON_TYPE, SANDBOX_START),
  'bad JSON': () => post('api', '/mcp/v1', JSON_TYPE, `{"jsonrpc":"2.0","id":${'['.repeat(5000)}`),
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const SANDBOX_START = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'start_family_care_workspace',
    arguments: { lovedOneFirstName: 'Rosa', lovedOneLastName: 'Silva', primaryCaregiverEmail: 'ana@silva.example' },
  },
})

/** A plain socket: an aborted client costs this machine as little as possible. */
async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: LOCAL_ADDRESS })
  socket.on('error', ignore)
  await once(socket, 'connect')
  return socket
}

async function post(
  to: keyof typeof pools,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<void> {
  const answer = await pools[to].request({ path, method: 'POST', headers, body })
  await answer.body.dump()
}
