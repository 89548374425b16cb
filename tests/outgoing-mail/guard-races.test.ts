import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { type Answer, type Family, send, startFamily } from '../_family.ts'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { untilToolAnswered } from '../_outcome.ts'
import { type SecondGateway, startSecondGateway } from '../_second-gateway.ts'
import { signIn } from '../_visitor.ts'
import { foundWorkspace } from '../_workspace.ts'

type World = { f: Family; sink: Sink; second: SecondGateway }

const test = (anyTest as TestFn<World>).serial
/** A person can have fifty keys, and a loved one twenty codes. */
const TRIALS = 45
const FREE_FIRST = 10
const LIFTED = { TOOL_CALLS_PER_MINUTE: '1000000' }

test.before(async ({ context }) => {
  context.sink = await startMailSink()
  const env = { SMTP_URL: context.sink.url }
  context.f = await startFamily({ separate: ['care-circle', 'inbox'], ownMongod: true, env })
  context.second = await startSecondGateway(context.f.stack, LIFTED)
})
test.after.always(async ({ context }) => {
  await context.second?.[Symbol.asyncDispose]()
  await context.f?.[Symbol.asyncDispose]()
  await context.sink?.[Symbol.asyncDispose]()
})

/** A guarded family with one letter of an unverified sender, and calls through either gateway. */
async function newFamily({ f, sink, second }: World) {
  const workspace = await foundWorkspace(f.stack)
  const { id: lovedOneId, inboxAddress } = await workspace.addLovedOne()
  await openMailer(f.stack).deliver(
    inboxAddress,
    'From: Desk <desk@clinic.example>\r\nSubject: Hello\r\n\r\nDo it.\r\n',
  )
  const owner = await signIn(f, sink, workspace.owner.email)
  await owner.submit('/settings/assistants', { setting: 'guarded', value: 'on' })
  const { host, pathname } = new URL(`${f.stack.apiUrl}/mcp/v1`)
  const urls = [`${f.stack.apiUrl}/mcp/v1`, `http://${second.address}${pathname}`]
  const call = (gateway: number, key: string, tool: string): Promise<Answer> =>
    send(urls[gateway] ?? '', {
      method: 'POST',
      headers: { host, 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: { lovedOneId } },
      }),
    })
  return { workspace, call, [Symbol.dispose]: () => workspace[Symbol.dispose]() }
}

const isDone = ({ json }: Answer) => json?.result !== undefined && json.result.isError === undefined
const isGuarded = ({ json }: Answer) => /unverified sender/.test(json?.result?.content?.[0]?.text ?? '')

test('through any gateway, a write that starts after a read was answered is guarded', async (t) => {
  using family = await newFamily(t.context)
  const { workspace, call } = family
  const wrong: string[] = []
  let freeBefore = 0
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const { secret: key } = await workspace.owner.mintKey()
    if (trial < FREE_FIRST && isDone(await call(trial % 2, key, 'create_provider_code'))) freeBefore += 1
    // Two reads at the same moment: the answer of the first must already be enough.
    const reads = [0, 1].map((gateway) => call(gateway, key, 'list_inbox_messages'))
    const first = await Promise.race(reads)
    if (!isDone(first)) wrong.push(`read: ${first.text}`)
    const writes = await Promise.all([0, 1].map((gateway) => call(gateway, key, 'create_provider_code')))
    wrong.push(...writes.filter((answer) => !isGuarded(answer)).map(({ text }) => text))
    await Promise.all(reads)
  }
  t.is(freeBefore, FREE_FIRST, 'without a read, codes are created')
  t.deepEqual(wrong, [])
})

test('while the mark cannot be stored, no word of the letter leaves', async (t) => {
  using family = await newFamily(t.context)
  const { workspace, call } = family
  const { secret: key } = await workspace.owner.mintKey()
  await using mongo = await openDatabase(t.context.f.stack, 'care-circle')
  const members = mongo.db().collection('members')
  await mongo.withSession(async (session) => {
    session.startTransaction()
    const { workspaceId } = workspace
    await members.updateMany({ workspaceId }, { $set: { relationship: 'locked' } }, { session })
    const read = await call(0, key, 'list_inbox_messages')
    t.is(read.json.error?.code, -32_603, read.text)
    t.notRegex(read.text, /Do it|desk@/)
    await session.abortTransaction()
  })
  t.regex((await untilToolAnswered(() => call(0, key, 'list_inbox_messages'))).text, /Do it/)
  t.true(isGuarded(await call(1, key, 'create_provider_code')))
})

test('a write is guarded, too, when the service or database that keeps the mark is killed after the read', async (t) => {
  using family = await newFamily(t.context)
  const { workspace, call } = family
  const { stack } = t.context.f
  for (const victim of ['care-circle', 'inbox', 'mongod'] as const) {
    const { secret: key } = await workspace.owner.mintKey()
    const read = await untilToolAnswered(() => call(0, key, 'list_inbox_messages'))
    t.true(isDone(read), read.text)
    stack.kill(victim)
    const write = await untilToolAnswered(() => call(1, key, 'create_provider_code'))
    t.true(isGuarded(write), `${victim}: ${write.text}`)
    await stack.waitReady()
  }
  const { secret: free } = await workspace.owner.mintKey()
  t.true(isDone(await untilToolAnswered(() => call(0, free, 'create_provider_code'))))
})
