import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
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

test('processes that search at the same moment never get the same port', async (t) => {
  const script = `import { freePort } from '${import.meta.resolve('./free-port.ts')}'
for (let nth = 0; nth < 600; nth++) console.log(await freePort())
console.log('done')
process.stdin.resume()`
  const others = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  try {
    // They run until each has all of its ports.
    const ports = (await Promise.all(others.map(({ stdout }) => readUntilDone(stdout)))).flat()
    t.is(ports.length, 6 * 600)
    t.is(new Set(ports).size, ports.length)
  } finally {
    for (const other of others) other.kill()
  }
})

async function readUntilDone(output: Readable): Promise<string[]> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.endsWith('done\n')) return text.trim().split('\n').slice(0, -1)
  }
  throw new Error(`it ended early: ${text}`)
}

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
