import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { callTool, mintKey, receive } from './_approval.ts'

type World = { f: Guest; sink: Sink; owner: Visitor; coordinator: Visitor; viewer: Visitor; key: string }

const test = (anyTest as TestFn<World>).serial

test.before(async (t) => {
  const joined = await joinFamily()
  const { sink, family } = joined
  const [owner, coordinator, viewer] = await Promise.all(
    (['owner', 'coordinator', 'viewer'] as const).map((role) => signIn(joined, sink, family.people[role])),
  )
  if (!owner || !coordinator || !viewer) throw new Error('nobody signed in')
  t.context = { f: joined, sink, owner, coordinator, viewer, key: await mintKey(owner, 'approval') }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const sentTo = ({ sink }: World, address: string) => sink.mails.filter(({ to }) => to.includes(address))

async function propose({ f, key }: World, from: string, more: object = {}) {
  const ids = await receive(f, from)
  const args = { messageId: ids.messageId, body: 'We come at ten.', ...more }
  return { ...ids, args, ...(await callTool(f, key, 'reply_to_inbox_message', args)) }
}

test('a reply that needs approval waits, a member sends it, and the recipient gets it once', async (t) => {
  const { f, sink, coordinator, key } = t.context
  const proposed = await propose(t.context, 'Desk <waits@clinic.example>', { idempotencyKey: 'walk' })
  t.is(proposed.data.status, 'waiting_for_approval')
  t.is(proposed.data.to, 'waits@clinic.example')
  const path = `/approvals/replies/${proposed.data.proposalId}`
  t.regex((await coordinator.get('/')).text, /waiting for approval/)
  t.regex((await coordinator.get('/approvals')).text, new RegExp(path))
  t.regex((await coordinator.get(path)).text, /Claude Code.*would like to send this to.*waits@clinic\.example/s)
  t.is(sentTo(t.context, 'waits@clinic.example').length, 0)
  const sent = await coordinator.submit(path, { body: 'We come at ten.', decision: 'send' })
  t.is(sent.status, 303)
  const [mail] = await sink.waitFor('waits@clinic.example')
  t.regex(mail?.raw ?? '', /We come at ten\./)
  const page = (await coordinator.get(`/inbox/${proposed.lovedOneId}/${proposed.messageId}`)).text
  t.regex(page, /’s assistant \(<bdi>Claude Code<\/bdi>\); approved by/)
  const again = await callTool(f, key, 'reply_to_inbox_message', proposed.args)
  t.is(again.data.status, 'sent')
  t.is(sentTo(t.context, 'waits@clinic.example').length, 1)
})
