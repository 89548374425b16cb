import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import type { ExecutionContext } from 'ava'
import type { Answer, Guest } from '../_family.ts'
import type { Family as OfficeFamily, PostOffice } from '../inbox/_post-office.ts'
import { connectSmtp, plainMail } from '../inbox/_smtp-client.ts'

/** How much one attacker may slow down others. */
const P95_MS = 750
const PAUSE_MS = 50
/** A short flood is repeated until others have made this many requests. */
const MIN_REQUESTS = 40
const MAX_FLOOD_MS = 60_000

type Seen = Pick<Answer, 'status' | 'text'>

export type Work<A extends Seen = Answer> = { name: string; ask: () => Promise<A>; isGood: (answer: A) => boolean }

/** Work by calls of an RPC client, or by SMTP. It is good unless it throws. */
export function workOf(name: string, work: () => Promise<unknown>): Work<Seen> {
  const ask = async () => {
    try {
      await work()
      return { status: 200, text: '' }
    } catch (error) {
      return { status: 500, text: String(error) }
    }
  }
  return { name, ask, isGood: ({ status }) => status === 200 }
}

/** An agent of a family lists its mail, with one key after the other: each has a limit. */
export function agentAtWork({ call }: Pick<Guest, 'call'>, { keys, lovedOnes }: DemoFamily): Work {
  const all = Object.values(keys)
  let calls = 0
  return {
    name: 'an agent of another family',
    ask: () => call(all[calls++ % all.length] as string, 'list_inbox_messages', { lovedOneId: lovedOnes[0]?.id }),
    isGood: ({ status, json }) => status === 200 && json.result !== undefined && json.result.isError !== true,
  }
}

/** Another family gets mail from another host, and reads it. */
export function officeAtWork({ stack, inbox }: PostOffice, { owner, lovedOnes }: OfficeFamily): Work<Seen>[] {
  const [{ id, address } = { id: '', address: '' }] = lovedOnes
  const page = { lovedOneId: id, pageSize: 20, pageToken: '' }
  return [
    workOf('reading mail', () => inbox.listInboxMessages(page, { token: owner })),
    workOf('getting mail', async () => {
      using client = await connectSmtp(stack.smtpPort, '127.0.0.9')
      await client.begin(address)
      const answer = await client.end(plainMail('Meanwhile'))
      if (!answer.startsWith('250 ')) throw new Error(answer)
    }),
  ]
}

/**
 * Runs normal work while one attacker floods, again and again until there is enough work to judge. Asserts that nothing
 * fails, and that 95 of 100 requests finish within 750 ms.
 */
export async function workDuring(
  t: ExecutionContext,
  works: readonly (Work | Work<Seen>)[],
  flood: () => Promise<unknown>,
): Promise<void> {
  const times: number[] = []
  const problems: string[] = []
  let isOver = false
  const work = (works as readonly Work<Seen>[]).map(async ({ name, ask, isGood }) => {
    while (!isOver) {
      const startedAt = performance.now()
      const answer = await ask()
      times.push(performance.now() - startedAt)
      if (!isGood(answer)) problems.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })
  try {
    const startedAt = Date.now()
    do await flood()
    while (times.length < MIN_REQUESTS && Date.now() - startedAt < MAX_FLOOD_MS)
  } finally {
    isOver = true
    await Promise.all(work)
  }
  const p95 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] as number
  t.deepEqual(problems, [])
  t.true(times.length >= MIN_REQUESTS, `only ${times.length} requests of others`)
  t.log(`${times.length} requests of others, p95 ${p95.toFixed(0)} ms`)
  t.true(p95 < P95_MS, `p95 of others: ${p95.toFixed(0)} ms`)
}

/** Sends many requests, a few at a time. @returns counts by status */
export async function floodWith(count: number, atOnce: number, ask: (index: number) => Promise<Answer>) {
  const statuses = new Map<number, number>()
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) {
      const { status } = await ask(index)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return statuses
}
