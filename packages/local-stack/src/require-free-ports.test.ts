import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { freePort } from './free-port.ts'
import { requireFreePorts } from './require-free-ports.ts'

async function taken() {
  const server = createServer().listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}

test('waits for a port that becomes free in time', async (t) => {
  const server = await taken()
  const free = requireFreePorts([{ setting: 'BASE_URL', port: server.port }], 60_000)
  t.is(await Promise.race([free, sleep(300, 'waits')]), 'waits')
  await server[Symbol.asyncDispose]()
  await t.notThrowsAsync(free)
})

test('an error names the port, what uses it and what to do', async (t) => {
  await using server = await taken()
  const error = await t.throwsAsync(requireFreePorts([{ setting: 'SMTP_PORT', port: server.port }], 0))
  t.regex(error?.message ?? '', new RegExp(`^Port ${server.port} is in use by process ${process.pid} \\(.+\\): stop `))
  t.regex(error?.message ?? '', /or set SMTP_PORT to another one\.$/)
})
