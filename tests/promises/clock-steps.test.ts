import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { services } from '@family-inbox/local-stack/services'
import test from 'ava'
import { type Family, startFamily } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { scaled } from '../_random.ts'
import { becomesTrue } from '../_wait.ts'

/** libfaketime, where it is installed. CI installs it (`.ci/run`). */
const LIBRARY = await promisify(execFile)('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD']).then(
  ({ stdout }) => stdout.trim(),
  () => undefined,
)
const STEPS = ['-1h', '+0', '+1h', '+0']
const PHASE_MS = scaled(2500, 30_000)
/** From a step to the first good answer. */
const RECOVERY_MS = 2000
const LANES = 4

const whereInstalled = LIBRARY === undefined ? test.skip : test

whereInstalled(
  'while the clocks jump back and forth by an hour, calls are answered and mail goes out once',
  async (t) => {
    await using cleanUp = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'family-inbox-clock-'))
    cleanUp.defer(() => rm(dir, { recursive: true }))
    const clock = join(dir, 'offset')
    await writeFile(clock, '+0')
    const sink = cleanUp.use(await startMailSink())
    const serviceEnv = {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    const replies = { REPLIES_PER_NEW_WORKSPACE: '9999/9999', REPLIES_PER_PERSON: '9999/9999' }
    const limits = { ...replies, REPLIES_PER_RECIPIENT: '9999/9999', REPLIES_TO_UNVERIFIED: '9999/9999' }
    const world = cleanUp.use(await startFamily({ serviceEnv, env: { SMTP_URL: sink.url, ...limits } }))
    const messageId = await newestMessage(world)

    let isOver = false
    let steppedAt = performance.now()
    const late: string[] = []
    const answered: string[] = []
    const work = Array.from({ length: LANES }, async (_, lane) => {
      for (let nth = 0; !isOver; nth += 1, await sleep(50)) {
        const body = `Reply ${lane}/${nth}.`
        const startedAt = performance.now()
        const isWrite = nth % 5 === 0
        const { json, text } = isWrite
          ? await world.call(world.family.keys.owner, 'reply_to_inbox_message', { messageId, body })
          : await world.call(world.family.keys.owner, 'list_loved_ones')
        const isGood = json?.result?.structuredContent !== undefined
        if (isGood && isWrite) answered.push(body)
        if (!isGood && startedAt - steppedAt > RECOVERY_MS) late.push(text)
      }
    })
    for (const offset of STEPS) {
      await sleep(PHASE_MS)
      steppedAt = performance.now()
      await writeFile(clock, offset)
    }
    await sleep(PHASE_MS)
    isOver = true
    await Promise.all(work)

    t.deepEqual(late, [])
    for (const { name } of services) t.is(world.stack.deaths(name), 0, name)
    const arrivals = (body: string) => sink.mails.filter(({ raw }) => raw.includes(body)).length
    await becomesTrue(async () => answered.every(arrivals), 30_000)
    t.deepEqual(
      answered.filter((body) => arrivals(body) !== 1),
      [],
    )
    t.true(answered.length > STEPS.length)
  },
)

async function newestMessage({ call, family }: Family): Promise<string> {
  const list = await call(family.keys.owner, 'list_inbox_messages', { lovedOneId: family.lovedOnes[0]?.id })
  return list.json.result.structuredContent.messages[0].id
}
