import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { becomesTrue } from '../_wait.ts'
import { openClient } from '../cluster/_steady-load.ts'
import { type EchoGateway, exchange, HOSTS, startEchoGateway } from './_echo-gateway.ts'

const GREEDY = 512
const SHARE = 128
/** The attacker's own loopback address. */
const GREEDY_ADDRESS = '127.0.0.2'
/** How much slower the others may become. Below the noise, a ratio says nothing. */
const MOST_TIMES = 1.5
const NOISE_MS = 3
const REQUESTS = 300
/** Other work of this machine may disturb one. */
const ROUNDS = 5

/** A slow request: after this, one byte per second. */
const BEGINNINGS = [
  '',
  'G',
  `GET / HTTP/1.1\r\nHost: ${HOSTS.base}\r\nX-Slow: `,
  `POST /mcp/v1 HTTP/1.1\r\nHost: ${HOSTS.api}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
  `POST /oauth/token HTTP/1.1\r\nHost: ${HOSTS.inbox}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n`,
]

test('an address with 512 slow connections keeps at most 128, and nobody else waits', async (t) => {
  await using gateway = await startEchoGateway()
  const before = await p99Of(gateway)
  const greedy = await Promise.all(
    Array.from({ length: GREEDY }, (_, nth) => openSlowly(gateway.port, BEGINNINGS[nth % BEGINNINGS.length] ?? '')),
  )
  const trickle = setInterval(() => {
    for (const socket of greedy) if (socket.writable) socket.write('a')
  }, 1000)
  try {
    const during: number[] = []
    for (let round = 0; round < ROUNDS && !during.some((p99) => isAsGood(p99, before)); round += 1)
      during.push(await p99Of(gateway))
    t.log(
      `99% of answers within ${before.toFixed(1)} ms before, ${during.map((ms) => ms.toFixed(1)).join(', ')} ms during`,
    )
    t.true(during.some((p99) => isAsGood(p99, before)))
    const open = greedy.filter((socket) => !socket.destroyed).length
    t.true(open <= SHARE, `${open} connections are open`)
    t.regex(await exchange(gateway.port, `GET /about HTTP/1.1\r\nHost: ${HOSTS.base}\r\n\r\n`, '127.0.0.3'), / 200 /)
  } finally {
    clearInterval(trickle)
    for (const socket of greedy) socket.destroy()
  }
  await sleep(200)
  const again = await exchange(gateway.port, `GET /about HTTP/1.1\r\nHost: ${HOSTS.base}\r\n\r\n`, GREEDY_ADDRESS)
  t.regex(again, / 200 /, 'a client is served again after it disconnects')
})

/** Milliseconds within which 99% of another client's requests are answered. */
async function p99Of(gateway: EchoGateway): Promise<number> {
  const times: number[] = []
  using client = openClient(gateway.port)
  for (let nth = 0; nth < REQUESTS; nth += 1) {
    const startedAt = performance.now()
    const { status } = await client.ask({ host: HOSTS.base, path: '/about', method: 'GET' })
    if (status !== 200) throw new Error(`another client was answered ${status}`)
    times.push(performance.now() - startedAt)
    gateway.seen()
    await sleep(5)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
}

function isAsGood(p99: number, before: number): boolean {
  return p99 <= MOST_TIMES * before + NOISE_MS
}

test('slow headers and slow bodies time out', async (t) => {
  await using gateway = await startEchoGateway()
  const slow = await Promise.all(BEGINNINGS.slice(1).map((beginning) => openSlowly(gateway.port, beginning)))
  const trickle = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('a')
  }, 1000)
  try {
    await becomesTrue(async () => slow.every((socket) => socket.destroyed), 25_000)
    t.deepEqual(
      slow.map((socket) => socket.destroyed),
      slow.map(() => true),
    )
  } finally {
    clearInterval(trickle)
    for (const socket of slow) socket.destroy()
  }
})

test('behind a trusted proxy one address may have any number of connections', async (t) => {
  await using gateway = await startEchoGateway({ TRUSTED_PROXIES: '1', HTTP_MAX_CONNECTIONS_PER_PEER: '2' })
  const proxy = await Promise.all(Array.from({ length: 20 }, () => openSlowly(gateway.port, 'G')))
  await sleep(200)
  t.true(proxy.every((socket) => !socket.destroyed))
  for (const socket of proxy) socket.destroy()
})

function openSlowly(port: number, beginning: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: GREEDY_ADDRESS })
    socket.on('error', () => {})
    socket.on('data', () => {})
    socket.once('connect', () => {
      socket.write(beginning)
      resolve(socket)
    })
    socket.once('close', () => resolve(socket))
  })
}
