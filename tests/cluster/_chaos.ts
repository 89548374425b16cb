import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../_random.ts'
import { sendThroughFaults } from '../event-pipe/_faults.ts'
import type { ClusterWorld } from './_cluster-world.ts'
import { type Counted, receiveMails, sendReplies } from './_exactly-once.ts'
import { claimSandboxes, revokeKeys, toggleConsent, useUpInvitations } from './_histories.ts'
import { checkLinearizable, openHistory } from './_linearizable.ts'
import { type StoreFault, storeFaultsOf } from './_store-faults.ts'

export type ChaosPlan = {
  /** Chooses the faults, one after another. */
  choose(all: StoreFault[]): StoreFault[]
  /** How long something stays away, and how long everything is well after a fault. */
  awayMs: number
  calmMs: number
  events: number
  /** How many of each kind of client. Default: one. */
  lanes?: number
  /** How many use a key that is about to be revoked. Default: two. */
  readers?: number
  /** Faults continue at random until so many operations are in the histories. Default: none. */
  operations?: number
  random: Random
  say: (line: string) => void
}

/** One line of the table. */
export type PromiseResult = { promise: string; trials: number; lost: number; doubled: number; wrong: number }

export type ChaosReport = {
  results: PromiseResult[]
  faults: number
  /** From the end of each fault to the first good answer to a call that began after it. */
  recoverySeconds: { fault: string; seconds: number }[]
  /** What was lost, doubled or wrong, for people. */
  details: string[]
}

/** Everything a cluster is used for, while its stores and services fail. Then looks at what is there. */
export async function causeChaos(world: ClusterWorld, plan: ChaosPlan): Promise<ChaosReport> {
  const { pipe, gates } = world
  const { random, say } = plan
  await using faults = storeFaultsOf(pipe.stack, gates, random, plan.awayMs)
  const chosen = plan.choose(faults.all)
  const history = openHistory()
  let over = false
  const isOver = () => over
  const recoverySeconds: ChaosReport['recoverySeconds'] = []
  const makeAll = async () => {
    await sleep(plan.calmMs)
    const isEnough = () => history.operations.length >= (plan.operations ?? 0)
    for (let nth = 0; nth < chosen.length || !isEnough(); nth += 1) {
      const { name, make } = chosen[nth] ?? (random.shuffled(faults.all)[0] as StoreFault)
      await make()
      const seconds = await secondsToRecover(world)
      say(`${name}: a call is answered ${seconds.toFixed(1)} s later`)
      recoverySeconds.push({ fault: name, seconds })
      await sleep(plan.calmMs)
    }
  }
  const begin = () => {
    const done = makeAll().finally(() => {
      over = true
    })
    return { done, isOver, plannedMs }
  }
  const plannedMs = plan.calmMs + chosen.length * (plan.calmMs + plan.awayMs)
  const load = { sends: plan.events, senders: 12, victims: [], pauseMs: 0, calmMs: 0, say }
  const kinds = [revokeKeys(plan.readers ?? 2), toggleConsent, claimSandboxes, useUpInvitations]
  const histories = Array.from({ length: plan.lanes ?? 1 }, () => kinds).flat()
  const [events, mails, replies] = await Promise.all([
    sendThroughFaults(pipe, load, begin),
    receiveMails(world, random, isOver),
    sendReplies(world, random, isOver),
    ...histories.map((lane) => lane(world, history, random, isOver)),
  ]).finally(() => {
    // One that failed ends the others.
    over = true
  })
  await pipe.stack.waitReady()
  const once = { mails: await mails(), replies: await replies() }
  const { operations } = history
  const { wrong, undecided } = await checkLinearizable(operations)
  const linear = (promise: string, prefix: string): PromiseResult => ({
    promise,
    trials: operations.filter(({ object }) => object.startsWith(prefix)).length,
    lost: 0,
    doubled: 0,
    wrong: [...wrong, ...undecided].filter((object) => object.startsWith(prefix)).length,
  })
  const results = [
    // Others that are there come from the agency whose consent changes.
    counted('an accepted event is on the timeline once', { ...events, trials: events.accepted }),
    counted('an accepted mail is in the inbox once', once.mails),
    counted('an answered reply is mailed once', once.replies),
    linear('a revoked key ends at once', 'tool key'),
    linear('consent counts at once', 'consent'),
    linear('a sandbox is claimed once', 'sandbox'),
    linear('a limit is never exceeded', 'invitations'),
  ]
  const details = [
    ...Object.entries({ events, ...once }).flatMap(([what, { lost, doubled }]) => [
      ...lost.map((id) => `${what}: ${id} was lost`),
      ...doubled.map((id) => `${what}: ${id} is there twice`),
    ]),
    ...wrong.map((object) => `not linearizable: ${JSON.stringify(operations.filter((one) => one.object === object))}`),
    ...undecided.map((object) => `not decided: ${object}`),
  ]
  return { results, faults: recoverySeconds.length, recoverySeconds, details }
}

function counted(promise: string, { trials, lost, doubled }: Counted): PromiseResult {
  return { promise, trials, lost: lost.length, doubled: doubled.length, wrong: 0 }
}

/** Until a call that begins now, or later, is answered well. */
async function secondsToRecover({ pipe }: ClusterWorld): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await pipe.call(pipe.family.keys.owner, 'list_loved_ones').catch(() => undefined)
    if (answer?.json?.result?.structuredContent !== undefined) return (performance.now() - startedAt) / 1000
    await sleep(50)
  }
}
