import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { callTool, type Kubernetes, startMails, startPodLoad } from './_kubernetes.ts'
import type { LoadResult } from './_load-in-pod.ts'

/** What calls and mail came to while something was disturbed. */
export type Outcome = {
  calls: LoadResult
  accepted: number
  /** Subjects of accepted mail that is in no answer. */
  lost: string[]
  doubled: string[]
}

/** Few: two processors run three nodes, three of each store, and two of each service while they are replaced. */
const CALLS = { clients: 4, paceMs: 120 }
const MAIL_PACE_MS = 700
/** What a replica ended with shows in the calls right after. */
const SETTLE_MS = 3000
const FOUND_MS = 120_000

export type Target = {
  kubernetes: Kubernetes
  family: DemoFamily
  /** Who signed the gateway’s certificate, where it serves HTTPS. */
  authority?: string
}

/** Calls tools and delivers mail, as steadily as answers come, while something is disturbed. */
export async function underLoad(target: Target, disturb: () => Promise<unknown>): Promise<Outcome> {
  const { kubernetes, family, authority } = target
  const [called, written] = family.lovedOnes
  const calls = readsOf({ lovedOneId: called?.id, limit: 3 })
  const mail = { to: written?.inboxAddress ?? '', subject: `Result ${randomText(6)}`, paceMs: MAIL_PACE_MS }
  const mails = await startMails(kubernetes, mail)
  await untilAccepted(mails.accepted, 1)
  const load = await startPodLoad(kubernetes, { ...CALLS, key: family.keys.owner, authority, calls })
  await disturb()
  await untilAccepted(mails.accepted, mails.accepted.length + 2)
  await sleep(SETTLE_MS)
  const [result] = await Promise.all([load.stop(), mails.stop()])
  return { calls: result, accepted: mails.accepted.length, ...(await compare(target, mails.accepted)) }
}

/** Two ways through the services: gateway, auth, care-circle; and inbox, too. */
export function readsOf(page: { lovedOneId: string | undefined; limit?: number }) {
  return [
    { name: 'list_loved_ones', arguments: {} },
    { name: 'list_inbox_messages', arguments: page },
  ]
}

/** At most one of ten thousand. */
export function expectNoFailure(
  t: { log(...lines: string[]): void; true(value: boolean, message: string): void },
  { answered, failed, failures, medianMs, p99Ms, slowestMs }: LoadResult,
): void {
  t.log(`${failed} of ${answered} calls failed; median ${medianMs} ms, 99% ${p99Ms} ms, slowest ${slowestMs} ms`)
  t.true(answered > 0 && failed * 10_000 <= answered, failures.join('\n'))
}

function untilAccepted(accepted: readonly string[], enough: number): Promise<true> {
  return waitFor(async () => accepted.length >= enough || undefined, {
    timeoutMs: 120_000,
    everyMs: 100,
    timeout: () => new Error('Mail is no longer accepted'),
  })
}

/** Accepted mail can be read right away, but a search entry may be behind. */
async function compare(target: Target, accepted: readonly string[]) {
  const [first = ''] = accepted
  const prefix = first.replace(/\d+$/, '')
  const deadline = Date.now() + FOUND_MS
  for (;;) {
    const found = await newestSubjects(target, prefix)
    const lost = accepted.filter((subject) => !found.includes(subject))
    const doubled = found.filter((subject, index) => found.indexOf(subject) !== index)
    if (lost.length === 0 || Date.now() > deadline) return { lost, doubled }
    await sleep(1000)
  }
}

/** The subjects that begin with this, which are of the newest mail. */
async function newestSubjects({ kubernetes, family, authority }: Target, prefix: string) {
  const { lovedOnes, keys } = family
  const subjects: string[] = []
  let cursor: string | undefined
  do {
    const page = { lovedOneId: lovedOnes[1]?.id, limit: 50, ...(cursor && { cursor }) }
    const { messages, nextCursor } = await callTool(kubernetes, keys.owner, 'list_inbox_messages', page, authority)
    const found = messages.map(({ subject }: { subject: string }) => subject)
    subjects.push(...found)
    cursor = found.some((subject: string) => subject.startsWith(prefix)) ? nextCursor : undefined
  } while (cursor)
  return subjects.filter((subject) => subject.startsWith(prefix))
}
