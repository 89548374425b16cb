import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { CareEventState } from '@family-inbox/proto/carecircle/v1/care_circle'
import { createRandom } from '../_random.ts'
import { insist } from '../cluster/_insist.ts'
import { damageStore, flipBits, truncate } from '../promises/_damage.ts'
import type { Agency, PipeWorld } from './_pipe.ts'
import type { Envelope } from './_signed-event.ts'

/** The load and the faults of one run. */
export type FaultPlan = {
  /** Events to send, plus a fifth of them again. */
  sends: number
  senders: number
  /** Each is killed with SIGKILL, then paused with SIGSTOP. */
  victims: ProcessName[]
  /** Groups that are killed at the same moment. */
  together?: ProcessName[][]
  /** How often the files of nats-server are damaged while it is down. */
  damages?: number
  pauseMs: number
  /** Recovery time after each fault. */
  calmMs: number
  say: (line: string) => void
}

/** The result, as a queue checker reports it. Every list of ids must be empty. */
export type Verdict = {
  sends: number
  /** Distinct events answered with 202. */
  accepted: number
  lost: string[]
  /** On the timeline more than once, or accepted under two ids. */
  doubled: string[]
  phantom: string[]
  /** Counts by status; 0 means no answer. */
  statuses: Record<string, number>
  retries: number
}

/** The spec's retry schedule for 5xx, in milliseconds; the last step repeats for about five minutes. */
const RETRY_MS = [1000, 2000, 4000, 8000, 16_000, 32_000]
const GIVE_UP_MS = 5 * 60_000
const AGENCIES = 4
const CAUGHT_UP_MS = 120_000

/**
 * Four partners send under load while processes are killed and paused, and retry by the spec's schedule. Then compares the
 * accepted events with the family's timeline.
 * @param begin makes the faults, once there are partners
 */
export async function sendThroughFaults(
  world: PipeWorld,
  plan: FaultPlan,
  begin = () => inflict(world.stack, plan),
): Promise<Verdict> {
  const clients = await makeClients(world)
  const lovedOneIds = [...new Set(clients.map(({ lovedOneId }) => lovedOneId))]
  const earlier = new Set(await readTimelines(world, lovedOneIds))
  const faults = begin()
  const events = Array.from({ length: Math.ceil((plan.sends * 4) / 5) }, (_, index) => {
    const client = clients[index % clients.length] as Client
    return { ...client, body: JSON.stringify(client.agency.event(client.subjectRef, numbered(index))) }
  })
  const log = await sendAll(withRepeats(events, plan.sends), plan, faults)
  await faults.done
  await world.stack.waitReady()
  const accepted = [...log.idOf.values()]
  await untilOnTimeline(world, accepted)
  const read = (await readTimelines(world, lovedOneIds)).filter((id) => !earlier.has(id))
  return { ...judge(accepted, read, log.contradicted), sends: plan.sends, statuses: log.statuses, retries: log.retries }
}

async function readTimelines(world: PipeWorld, lovedOneIds: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const lovedOneId of lovedOneIds) ids.push(...(await world.timelineIds({ lovedOneId })))
  return ids
}

function judge(accepted: string[], read: string[], contradicted: string[]) {
  const isRead = new Set(read)
  const isAccepted = new Set(accepted)
  return {
    accepted: isAccepted.size,
    lost: accepted.filter((id) => !isRead.has(id)),
    doubled: [...read.filter((id, index) => read.indexOf(id) !== index), ...contradicted],
    phantom: read.filter((id) => !isAccepted.has(id)),
  }
}

type Client = { agency: Agency; subjectRef: string; lovedOneId: string }
type Sent = Client & { body: string }

async function makeClients(world: PipeWorld): Promise<Client[]> {
  const clients: Client[] = []
  for (let index = 0; index < AGENCIES; index += 1) {
    const agency = await insist(() => world.addAgency())
    const lovedOneId = world.family.lovedOnes[index % world.family.lovedOnes.length]?.id ?? ''
    clients.push({ agency, lovedOneId, subjectRef: await insist(() => world.link(agency, { lovedOneId })) })
  }
  return clients
}

/** Half of the events are keyed by id, half by their bytes. */
function numbered(index: number): Partial<Envelope> {
  const payload = { caregiver_id: 'c-17', note_text: `Note ${index}.` }
  return index % 2 === 0 ? { payload } : { payload, event_id: undefined }
}

/** Sends every fourth event again later. */
function withRepeats(events: Sent[], sends: number): Sent[] {
  const all: Sent[] = []
  for (const [index, event] of events.entries()) {
    all.push(event)
    if (index % 4 === 3) all.push(events[Math.max(0, index - (index % 37))] as Sent)
  }
  return all.slice(0, sends)
}

export type Faults = { done: Promise<void>; isOver(): boolean; plannedMs: number }

function inflict(stack: Stack, { victims, together = [], damages = 0, pauseMs, calmMs, say }: FaultPlan): Faults {
  let over = false
  const run = async () => {
    await sleep(calmMs)
    for (const name of victims) {
      say(`kill ${name}`)
      stack.kill(name)
      await sleep(calmMs)
    }
    for (const names of together) {
      say(`kill ${names.join(', ')}`)
      for (const name of names) stack.kill(name)
      await sleep(calmMs)
    }
    for (const name of victims) {
      say(`pause ${name}`)
      await stack.pause(name)
      await sleep(pauseMs)
      stack.resume(name)
      await sleep(calmMs)
    }
    for (let nth = 0; nth < damages; nth += 1) {
      say('damage the files of nats-server')
      await stack.pause('nats-server')
      damageStore(stack, 'nats-server', nth % 2 === 0 ? flipBits : truncate, createRandom())
      stack.kill('nats-server')
      await sleep(calmMs)
    }
    over = true
  }
  const plannedMs = calmMs + victims.length * (2 * calmMs + pauseMs) + (together.length + damages) * calmMs
  return { done: run(), isOver: () => over, plannedMs }
}

type Log = {
  idOf: Map<string, string>
  /** Ids of bodies that were accepted under another id before. */
  contradicted: string[]
  statuses: Record<string, number>
  retries: number
}

async function sendAll(queue: Sent[], { senders }: FaultPlan, faults: Faults): Promise<Log> {
  const log: Log = { idOf: new Map(), contradicted: [], statuses: {}, retries: 0 }
  const startedAt = Date.now()
  let next = 0
  const work = async () => {
    for (let index = next++; index < queue.length; index = next++) {
      const dueAt = startedAt + (index / queue.length) * faults.plannedMs
      while (Date.now() < dueAt && !faults.isOver()) await sleep(Math.min(50, dueAt - Date.now() + 1))
      await sendUntilAccepted(queue[index] as Sent, log)
    }
  }
  await Promise.all(Array.from({ length: senders }, work))
  return log
}

/** @throws for a final answer, or after five minutes of retries */
async function sendUntilAccepted({ agency, body }: Sent, log: Log): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS
  for (let attempt = 0; ; attempt += 1) {
    const answer = await agency.postOnce(body).catch(() => undefined)
    const status = answer?.status ?? 0
    log.statuses[status] = (log.statuses[status] ?? 0) + 1
    if (answer?.status === 202) return note(log, body, answer.json.event_id)
    const isRetriable = status === 0 || status === 429 || status >= 500
    if (!isRetriable || Date.now() > giveUpAt) throw new Error(`an event was answered ${status}: ${answer?.text}`)
    log.retries += 1
    await sleep(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)])
  }
}

function note({ idOf, contradicted }: Log, body: string, id: string): void {
  const known = idOf.get(body)
  if (known !== undefined && known !== id) contradicted.push(id)
  idOf.set(body, id)
}

/** Waits up to two minutes until the operator sees every event delivered. */
async function untilOnTimeline({ services }: PipeWorld, ids: string[]): Promise<void> {
  const giveUpAt = Date.now() + CAUGHT_UP_MS
  for (let left = ids; left.length > 0 && Date.now() < giveUpAt; await sleep(200)) {
    const chunk = left.slice(0, 1000)
    const { states } = await services.careCircle.getCareEventStates({ eventIds: chunk }).catch(() => ({ states: [] }))
    left = [...chunk.filter((_, index) => states[index] !== CareEventState.ON_TIMELINE), ...left.slice(1000)]
  }
}
