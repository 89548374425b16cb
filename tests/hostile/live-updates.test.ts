import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { listen } from '../_live-window.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { becomesTrue } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'
import { readMetric } from './_metrics.ts'

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
