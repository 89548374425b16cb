import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createBatcher } from '../rpc/batch.ts'
import { currentRequest, newRequestId, runInRequest } from './request.ts'
import { runIncoming } from './spans.ts'
import { extractTraceContext, injectTraceContext } from './trace-context.ts'

test('work belongs to the request that started it', async (t) => {
  const ids = await Promise.all(
    ['req_a', 'req_b'].map((id) =>
      runInRequest({ id }, async () => {
        await turn()
        return currentRequest()?.id
      }),
    ),
  )
  t.deepEqual(ids, ['req_a', 'req_b'])
  t.is(currentRequest(), undefined)
})

test('a service reads the context another sent, and ignores anything else', (t) => {
  const id = newRequestId()
  const sent = new Map<string, string>()
  runInRequest({ id }, () => injectTraceContext((name, value) => sent.set(name, value)))
  t.is(extractTraceContext((name) => sent.get(name)).requestId, id)
  for (const strange of ['', 'req_', `${id}\n`, `${id},`, '<b>', ['a', 'b'], undefined])
    t.is(extractTraceContext(() => strange).requestId, undefined)
})

test('a request keeps its id, or gets a new one', async (t) => {
  const nameOf = (requestId?: string) =>
    runIncoming({ requestId }, { name: 'test', kind: 'server' }, async () => currentRequest()?.id)
  t.regex((await nameOf()) ?? '', /^req_\w{16}$/)
  t.is(await nameOf('req_0123456789abcdef'), 'req_0123456789abcdef')
})

test('a batch has the ids of its own requests only', async (t) => {
  const names: unknown[] = []
  const together = createBatcher(async (items: string[]) => {
    names.push(currentRequest()?.id)
    await delay(5)
    return items
  })
  const ask = (id: string) => runInRequest({ id }, () => together(id))
  const early = ask('req_a')
  await turn()
  const answers = [early, ask('req_b'), ask('req_c'), runInRequest({ id: 'req_c' }, () => together('again'))]
  t.deepEqual(await Promise.all(answers), ['req_a', 'req_b', 'req_c', 'again'])
  t.deepEqual(names, ['req_a', 'req_b,req_c'])
  await together('of nobody')
  t.is(names.at(-1), undefined)
})
