import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { services } from '@family-inbox/local-stack/services'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import anyTest, { type TestFn } from 'ava'
import { startMailSink } from '../_mail-sink.ts'
import { questionsFor, toolOf } from './_questions.ts'
import { type Replicas, startReplicas } from './_replicas.ts'
import { openClient, startLoad } from './_steady-load.ts'

type World = { replicas: Replicas; sink: Awaited<ReturnType<typeof startMailSink>>; messageId: string }

const test = anyTest as TestFn<World>
/** Only Linux lets a process listen on any address of 127/8. */
const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip

const CLIENTS = 8

test.before('start three gateways and two of each other service', async (t) => {
  if (process.platform !== 'linux') return
  t.context.sink = await startMailSink()
  t.context.replicas = await startReplicas((name) => (name === 'gateway' ? 3 : 2), t.context.sink.url)
  const { family, http } = t.context.replicas
  using client = openClient(http.port)
  const ask = toolOf(http.apiHost, family.keys.owner)('list_inbox_messages', { lovedOneId: family.lovedOnes[0]?.id })
  t.context.messageId = await waitFor(
    async () => JSON.parse((await client.ask(ask)).text).result?.structuredContent.messages[0]?.id,
    { timeoutMs: 60_000, everyMs: 100, timeout: () => new Error('no mail arrived') },
  )
})
test.after.always(async ({ context: { replicas, sink } }) => {
  await replicas?.[Symbol.asyncDispose]()
  await sink?.[Symbol.asyncDispose]()
})

onLinux('every replica of every service is replaced under load, and no call fails', async (t) => {
  const { replicas, messageId, sink } = t.context
  const questions = questionsFor(replicas, messageId)
  await using load = startLoad(replicas.http.port, CLIENTS, questions.nth, questions.problemWith)
  await load.goesOn(4 * CLIENTS)
  for (const { name } of services) {
    const before = { answered: load.answered(), at: Date.now() }
    await replicas.roll(name)
    t.log(`${name}: ${load.answered() - before.answered} calls in ${((Date.now() - before.at) / 1000).toFixed(1)} s`)
    for (const failure of load.failures.slice(0, 5)) t.log(failure)
    if (load.failures.length > 0) t.log(await warningsIn(replicas.logs))
    t.deepEqual(load.failures, [], `while ${name} was restarted; as logged above`)
  }
  await load.goesOn(4 * CLIENTS)
  await load.stop()
  t.deepEqual(load.failures, [])
  // If a replica started sending a mail, another must finish it without sending twice.
  const mailsWith = (words: string) => sink.mails.filter(({ raw }) => raw.includes(words)).length
  await waitFor(async () => questions.replied.every((words) => mailsWith(words) > 0) || undefined, {
    timeoutMs: 60_000,
    everyMs: 100,
    timeout: () => new Error('an acknowledged reply was not sent'),
  })
  t.deepEqual(
    questions.replied.filter((words) => mailsWith(words) !== 1),
    [],
  )
  t.log(`${load.answered()} calls, ${questions.replied.length} replies`)
})

/** What the services logged as warnings and errors, newest last: the folder is gone after the test. */
async function warningsIn(folder: string): Promise<string> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const lines = (await readFile(join(folder, name), 'utf8')).split('\n')
      return lines.filter((line) => /"level":"?(warn|error|[45]0)/.test(line)).map((line) => `${name}: ${line}`)
    }),
  )
  return files.flat().slice(-20).join('\n')
}
