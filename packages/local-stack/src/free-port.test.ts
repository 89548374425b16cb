import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'ava'
import { freePort, isListening, portTrouble } from './free-port.ts'

async function listening(host: string) {
  const server = createServer().listen(await freePort(), host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}

test('a hundred ports asked for at once are a hundred different ones', async (t) => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort))
  t.is(new Set(ports).size, 100)
})

test('a port that is listened on is in trouble, on whichever address', async (t) => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    await using server = await listening(host)
    t.is(await portTrouble(server.port), 'is in use')
    t.true(await isListening(server.port))
  }
})

test('a port nobody listens on is free', async (t) => {
  const port = await freePort()
  t.is(await portTrouble(port), undefined)
  t.false(await isListening(port))
})
