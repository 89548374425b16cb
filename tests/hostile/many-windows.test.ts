import { connect } from 'node:net'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { listen } from '../_live-window.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { agentAtWork, workDuring } from './_others-at-work.ts'

const test = anyTest.serial as TestFn<Guest & { sink: Sink }>

test.before(async (t) => {
  t.context = await joinFamily('standard', { withMail: true })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

test('a hundred windows of one family do not delay another family’s updates', async (t) => {
  const f = t.context
  const another = await f.another({ withMail: true, others: ['coordinator', 'viewer'] })
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
  const another = await f.another({ withMail: true, others: ['coordinator', 'viewer'] })
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
