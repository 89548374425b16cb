import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createBatcher } from '../rpc/batch.ts'
import { inRequest, newRequestId, requestInHand } from './request.ts'
import { runIncoming } from './steps.ts'
import { extractTraceContext, injectTraceContext } from './trace-context.ts'

test('what a request starts and waits for belongs to it, and to no other', async (t) => {
  const ids = await Promise.all(
    ['req_a', 'req_b'].map((id) =>
      inRequest({ id }, async () => {
        await turn()
        return requestInHand()?.id
      }),
    ),
  )
  t.deepEqual(ids, ['req_a', 'req_b'])
  t.is(requestInHand(), undefined)
})

test('what one service sends along is what the next one reads, and anything else is nothing', (t) => {
  const id = newRequestId()
  const sent = new Map<string, string>()
  inRequest({ id }, () => injectTraceContext((name, value) => sent.set(name, value)))
  t.is(extractTraceContext((name) => sent.get(name)).requestId, id)
  for (const strange of ['', 'req_', `${id}\n`, `${id},`, '<b>', ['a', 'b'], undefined])
    t.is(extractTraceContext(() => strange).requestId, undefined)
})

test('what comes without a name is given one, and keeps the one it has', async (t) => {
  const nameOf = (requestId?: string) =>
    runIncoming({ requestId }, { name: 'test', kind: 'server' }, async () => requestInHand()?.id)
  t.regex((await nameOf()) ?? '', /^req_\w{16}$/)
  t.is(await nameOf('req_0123456789abcdef'), 'req_0123456789abcdef')
})

test('a batch is named after all who share it, and the next one only after its own', async (t) => {
  const names: unknown[] = []
  const together = createBatcher(async (items: string[]) => {
    names.push(requestInHand()?.id)
    await turn()
    return items
  })
  const ask = (id: string) => inRequest({ id }, () => together(id))
  const answers = [ask('req_a'), ask('req_b'), ask('req_c'), inRequest({ id: 'req_c' }, () => together('again'))]
  t.deepEqual(await Promise.all(answers), ['req_a', 'req_b', 'req_c', 'again'])
  t.deepEqual(names, ['req_a', 'req_b,req_c'])
  await together('of nobody')
  t.is(names.at(-1), undefined)
})
