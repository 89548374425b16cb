import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'ava'
import { freePort, isListening, portProblem } from './free-port.ts'

async function listening(host: string) {
  const server = createServer().listen(await freePort(), host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}

test('a hundred concurrent requests get a hundred different ports', async (t) => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort))
  t.is(new Set(ports).size, 100)
})

test('a port in use on any address is reported', async (t) => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    await using server = await listening(host)
    t.is(await portProblem(server.port), 'is in use')
    t.true(await isListening(server.port))
  }
})

test('an unused port is free', async (t) => {
  const port = await freePort()
  t.is(await portProblem(port), undefined)
  t.false(await isListening(port))
})
