import { once } from 'node:events'
import { Client, credentials, type MethodDefinition, Server, ServerCredentials } from '@grpc/grpc-js'
import test from 'ava'
import { service } from 'grpc-health-check'
import { serveHealth } from './health-service.ts'

/** A server, and a client of the usual package. */
async function serve() {
  const server = new Server()
  let isReady = false
  serveHealth(server, async () => isReady)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 })
  const { Check: check, Watch: watch } = service as unknown as Record<
    'Check' | 'Watch',
    MethodDefinition<{ service: string }, { status: string }>
  >
  return {
    become(ready: boolean) {
      isReady = ready
    },
    check: (name: string) =>
      new Promise<string>((resolve, reject) => {
        client.makeUnaryRequest(
          check.path,
          check.requestSerialize,
          check.responseDeserialize,
          { service: name },
          (error, answer) => (error ? reject(error) : resolve(answer?.status ?? '')),
        )
      }),
    watch: (name: string) =>
      client.makeServerStreamRequest(watch.path, watch.requestSerialize, watch.responseDeserialize, { service: name }),
    [Symbol.dispose]() {
      client.close()
      server.forceShutdown()
    },
  }
}

test('a probe sees a process that runs, and when it is ready', async (t) => {
  using served = await serve()
  t.is(await served.check(''), 'SERVING')
  t.is(await served.check('ready'), 'NOT_SERVING')
  served.become(true)
  t.is(await served.check('ready'), 'SERVING')
  served.become(false)
  t.is(await served.check('ready'), 'NOT_SERVING')
  await t.throwsAsync(served.check('inbox'), { message: /^5 NOT_FOUND/ })
})

test('a watcher hears of each change, and of no other service', async (t) => {
  using served = await serve()
  const [ready, unknown] = [served.watch('ready'), served.watch('inbox')]
  const first = await Promise.all([once(ready, 'data'), once(unknown, 'data')])
  t.deepEqual(first.flat(), [{ status: 'NOT_SERVING' }, { status: 'SERVICE_UNKNOWN' }])
  const next = once(ready, 'data')
  unknown.on('data', () => t.fail())
  served.become(true)
  t.deepEqual(await next, [{ status: 'SERVING' }])
  for (const stream of [ready, unknown]) stream.on('error', () => {}).cancel()
})
