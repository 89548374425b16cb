import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { readMetric } from './_metrics.ts'
import { agentAtWork, workDuring } from './_others-at-work.ts'

const test = anyTest.serial as TestFn<Guest & { sink: Sink }>

test.before(async (t) => {
  t.context = await joinFamily('standard', { withMail: true })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

test('someone who clicks quickly never sees an error and still gets new mail immediately', async (t) => {
  const f = t.context
  const { cookie } = await signIn(f, f.sink, f.family.people.owner)
  for (let click = 0; click < 20; click += 1) {
    const window = await listen(f, cookie)
    t.is(window.status, 200)
    if (click % 2 === 0) window.close()
    else setTimeout(window.close, 30)
  }
  const last = await listen(f, cookie)
  await last.hear('event: listening')
  const { inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  t.regex(await deliver(f.stack.smtpPort, inboxAddress, plainMail('Here I am')), /^250 /)
  t.true(await last.hear('event: mail'))
  last.close()
})

test('closing a window ends its subscription in every service', async (t) => {
  const f = t.context
  const { cookie } = await signIn(f, f.sink, f.family.people.owner)
  const ended = () => readMetric(f.stack, 'inbox', 'family_inbox_rpc_seconds_count', '/WatchMessages"')
  for (let round = 0; round < 3; round += 1) {
    const windows = await Promise.all([1, 2, 3, 4].map(() => listen(f, cookie)))
    for (const window of windows) await window.hear('event: listening')
    const before = await ended()
    for (const window of windows) window.close()
    t.true(await becomesTrue(async () => (await ended()) >= before + 4, 2000), `${(await ended()) - before} ended`)
  }
})

test('a hundred windows of one family do not delay another family’s updates', async (t) => {
  const f = t.context
  const another = await f.another()
  const { cookie } = await signIn(f, f.sink, another.people.owner)
  const attacker = await signIn(f, f.sink, f.family.people.owner)
  await workDuring(t, [agentAtWork(f, another)], async () => {
    const windows = await Promise.all(Array.from({ length: 100 }, () => listen(f, attacker.cookie)))
    const window = await listen(f, cookie)
    t.is(window.status, 200)
    await window.hear('event: listening')
    await deliver(f.stack.smtpPort, another.lovedOnes[0]?.inboxAddress ?? '', plainMail('For you'))
    t.true(await window.hear('event: mail'))
    for (const { close } of [...windows, window]) close()
  })
})

test('windows that are never read do not delay another family', async (t) => {
  const f = t.context
  const another = await f.another()
  const { cookie } = await signIn(f, f.sink, f.family.people.owner)
  const { inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  const { hostname, port } = new URL(f.stack.inboxUrl)
  await workDuring(t, [agentAtWork(f, another)], async () => {
    const windows = Array.from({ length: 50 }, () => {
      const socket = connect({ host: hostname, port: Number(port) }).pause()
      socket.on('error', () => {})
      socket.write(`GET /inbox/live HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`)
      return socket
    })
    for (let nth = 0; nth < 5; nth += 1) await deliver(f.stack.smtpPort, inboxAddress, plainMail(`For nobody ${nth}`))
    for (const socket of windows) socket.destroy()
  })
})

/** Opens a window with live updates, as a browser does. */
async function listen({ stack }: Guest, cookie: string) {
  const gone = new AbortController()
  const response = await fetch(`${stack.inboxUrl}/inbox/live`, { headers: { cookie }, signal: gone.signal })
  const reader = response.body?.getReader()
  let heard = ''
  const read = async (): Promise<void> => {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      heard += Buffer.from(next.value).toString()
  }
  read().catch(() => {})
  return {
    status: response.status,
    close: () => gone.abort(),
    /** Whether the event arrives within a few seconds. */
    async hear(event: string): Promise<boolean> {
      for (let look = 0; look < 100 && !heard.includes(event); look += 1) await sleep(50)
      return heard.includes(event)
    },
  }
}
