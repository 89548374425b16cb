import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openClient } from '../cluster/_steady-load.ts'
import { exchange, HOSTS, startEchoGateway } from './_echo-gateway.ts'

const GREEDY = 512
const SHARE = 128
/** The attacker's own loopback address. */
const GREEDY_ADDRESS = '127.0.0.2'
const LATE_MS = 750

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
  const greedy = await Promise.all(
    Array.from({ length: GREEDY }, (_, nth) => openSlowly(gateway.port, BEGINNINGS[nth % BEGINNINGS.length] ?? '')),
  )
  const trickle = setInterval(() => {
    for (const socket of greedy) if (socket.writable) socket.write('a')
  }, 1000)
  try {
    const times: number[] = []
    using client = openClient(gateway.port)
    for (const end = Date.now() + 4000; Date.now() < end; await sleep(20)) {
      const startedAt = performance.now()
      const { status } = await client.ask({ host: HOSTS.base, path: '/about', method: 'GET' })
      t.is(status, 200)
      times.push(performance.now() - startedAt)
      gateway.seen()
    }
    times.sort((a, b) => a - b)
    const p95 = times[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY
    t.log(`${times.length} answers meanwhile, 95% of them within ${p95.toFixed(0)} ms`)
    t.true(p95 < LATE_MS, `${p95} ms`)
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

test('slow headers and slow bodies time out', async (t) => {
  await using gateway = await startEchoGateway()
  const slow = await Promise.all(BEGINNINGS.slice(1).map((beginning) => openSlowly(gateway.port, beginning)))
  const trickle = setInterval(() => {
    for (const socket of slow) if (socket.writable) socket.write('a')
  }, 1000)
  try {
    for (const end = Date.now() + 25_000; Date.now() < end && slow.some((socket) => !socket.destroyed); )
      await sleep(100)
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
