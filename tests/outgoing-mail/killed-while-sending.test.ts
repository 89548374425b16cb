import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'

test('a reply whose sender is killed while the other server thinks is not sent twice, and is said to be uncertain', async (t) => {
  let arrivals = 0
  let whenItArrives = () => {}
  const arrived = new Promise<void>((resolve) => {
    whenItArrives = resolve
  })
  await using sink = await startMailSink(async ({ to }) => {
    if (!to.includes('plan@sunrise-homecare.example')) return undefined
    arrivals += 1
    whenItArrives()
    await sleep(2000)
    return undefined
  })
  await using f = await startFamily({ env: { SMTP_URL: sink.url } })
  const key = f.family.keys.owner
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })
  const messageId = list.json.result.structuredContent.messages[0].id
  const answer = await f.call(key, 'reply_to_inbox_message', { messageId, body: 'Once only.' })
  const { replyId } = answer.json.result.structuredContent

  await arrived
  f.stack.kill('inbox')
  await using mongo = await new MongoClient(f.stack.databaseUri('inbox')).connect()
  const stateOf = async () =>
    (
      await mongo
        .db()
        .collection('deliveries')
        .findOne({ _id: replyId as never })
    )?.state
  const deadline = Date.now() + 40_000
  while ((await stateOf()) !== 'unknown' && Date.now() < deadline) await sleep(200)

  t.is(await stateOf(), 'unknown')
  t.is(arrivals, 1)
})
