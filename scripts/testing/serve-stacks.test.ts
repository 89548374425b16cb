import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { joinStack } from '../../tests/_join-stack.ts'
import type { Started } from '../../tests/_start-preset.ts'
import { serveStacks } from './serve-stacks.ts'

test('a leased stack is one test’s at a time, and runs again before the next gets it', async (t) => {
  const events: string[] = []
  await using served = await serveStacks(() => fakeStack(t, events))
  const first = await joinStack(served.path, 'mortal')
  const second = joinStack(served.path, 'mortal').then((lease) => {
    events.push('second lease')
    return lease
  })
  await first.stack.waitReady()
  await first[Symbol.asyncDispose]()
  const lease = await second
  t.deepEqual(events, [
    'ready',
    'resume auth',
    'resume care-circle',
    'resume inbox',
    'resume pipe',
    'resume nats-server',
    'ready',
    'second lease',
  ])
  await lease[Symbol.asyncDispose]()
})

test('other stacks are shared: each starts once, and ends at the end', async (t) => {
  const events: string[] = []
  {
    await using served = await serveStacks((name) => {
      events.push(`start ${name}`)
      return fakeStack(t, events)
    })
    const joined = await Promise.all(
      (['standard', 'limits', 'standard'] as const).map((name) => joinStack(served.path, name)),
    )
    for (const one of joined) await one[Symbol.asyncDispose]()
  }
  t.deepEqual(events, ['start standard', 'start limits', 'end', 'end'])
})

test('a stack that does not start is an error for who asked, and the next ask starts another', async (t) => {
  let starts = 0
  await using served = await serveStacks(async () => {
    starts += 1
    if (starts === 1) throw new Error('no free port')
    return fakeStack(t)
  })
  await t.throwsAsync(joinStack(served.path, 'quick'), { message: /no free port/ })
  await (await joinStack(served.path, 'quick'))[Symbol.asyncDispose]()
  t.is(starts, 2)
})

async function fakeStack(t: ExecutionContext, events: string[] = []): Promise<Started> {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-fake-'))
  t.teardown(() => rm(dataDir, { recursive: true }))
  const mailFile = join(dataDir, 'mails.jsonl')
  writeFileSync(mailFile, '')
  const stack = {
    dataDir,
    resume: (name: string) => events.push(`resume ${name}`),
    waitReady: async () => void events.push('ready'),
  } as unknown as Started['stack']
  const facts = () => ({ stack, databases: {}, mailFile, mailOffset: 0, sinkUrl: '' })
  return { stack, facts, sink: {} as Started['sink'], [Symbol.asyncDispose]: async () => void events.push('end') }
}
