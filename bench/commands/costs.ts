import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@family-inbox/inbox/models/message'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { createTransport } from 'nodemailer'
import { startEventLoad } from '../load/measure-events.ts'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Options } from '../measure/options.ts'
import { growthOf, storedBytes } from '../measure/stored-bytes.ts'
import { startEventServers } from '../peers/event-servers.ts'
import { ourPeer } from '../peers/peer.ts'
import { type CostSample, costTable } from '../report/cost-table.ts'
import { makeAgencies } from '../world/agencies.ts'
import { makeNotificationsDue } from '../world/due-notifications.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { indexInbox } from '../world/index-inbox.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { signIn } from '../world/sign-in.ts'
import { tenKilobyteMail } from '../world/ten-kilobyte-mail.ts'
import { askOnce, toolRequest } from '../world/tool-request.ts'
import { makeWorkspace, type Workspace } from '../world/workspace.ts'

export const NO_LIMIT = {
  TOOL_CALLS_PER_MINUTE: '1000000',
  PIPE_EVENTS_PER_MINUTE: '1000000000',
  INBOX_MESSAGES_PER_HOUR: '1000000',
}
const MESSAGES = 1000
/** Few, so that little work is shared, as in many replicas that are not busy. */
const CALLERS = 2
const NOTIFICATIONS_A_SECOND = 20
const IDLE_WITHIN_MS = 60_000

/** Does one, and again, until the time is over; resolves with how many, when the work that it caused is done. */
type Kind = { name: string; run: (seconds: number) => Promise<number> }

/** Processor time of each process of seven, and bytes stored, for each kind of work. What the idle system uses is left out. */
export async function benchCosts({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack({ env: NO_LIMIT, processes: 'seven' })
  await using workspace = await makeWorkspace(stack)
  await using kinds = await kindsOf(stack, workspace)
  const samples: CostSample[] = []
  for (const kind of kinds.all) await kind.run(1)
  const idle = await idleMicroseconds(stack, seconds)
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const kind of kinds.all) samples.push(await quietly(() => measure(stack, kind, seconds, idle)))
  }
  say(costTable(samples))
  return { samples, idle }
}

export async function kindsOf(stack: Stack, workspace: Workspace) {
  await using cleanUp = new AsyncDisposableStack()
  const { family, lovedOneId, collection } = workspace
  await fillInbox(workspace, { lovedOneId, count: MESSAGES })
  await indexInbox(workspace, lovedOneId)
  const [key = ''] = await mintKeys(workspace, 1, false)
  const cookie = await signIn(stack, family.people.owner)
  const list = toolRequest('list_inbox_messages', { lovedOneId, limit: 20 })
  const found = await askOnce(ourPeer(stack), key, list)
  const messageId = /msg_\w+/.exec(found.text)?.[0] ?? ''
  const [word = ''] = /\p{L}{5,}/u.exec(workspace.sampleRows[0]?.text ?? '') ?? []
  const search = toolRequest('list_inbox_messages', { lovedOneId, limit: 20, query: word })
  const get = toolRequest('get_inbox_message', { lovedOneId, messageId })
  const mail = await tenKilobyteMail()
  const smtp = createTransport({ host: '127.0.0.1', port: stack.smtpPort, pool: true, maxConnections: CALLERS })
  cleanUp.defer(() => smtp.close())
  const envelope = { from: 'reports@clinic.example', to: family.lovedOnes[0]?.inboxAddress ?? '' }
  const messages = collection<Message>('inbox', 'messages')
  // Its sender is checked when DNS answers, which it does not on every machine.
  const pending = { indexPending: true }
  const agencies = await makeAgencies(stack, family, 2)
  const { ours } = cleanUp.use(await startEventServers(stack, workspace, agencies))
  const events = cleanUp.use(await startEventLoad(agencies))
  const open = (path: string) => requireOk(fetch(stack.inboxUrl + path, { headers: { cookie } }))
  const call = async (body: string) => {
    const { status } = await askOnce(ourPeer(stack), key, body)
    if (status !== 200) throw new Error(`a call was answered ${status}`)
  }
  const all: Kind[] = [
    { name: 'list call', run: (seconds) => repeat(seconds, () => call(list)) },
    { name: 'search call', run: (seconds) => repeat(seconds, () => call(search)) },
    { name: 'get call', run: (seconds) => repeat(seconds, () => call(get)) },
    { name: 'inbox page', run: (seconds) => repeat(seconds, () => open('/')) },
    { name: 'message page', run: (seconds) => repeat(seconds, () => open(`/inbox/${lovedOneId}/${messageId}`)) },
    {
      name: 'notification',
      async run(seconds) {
        const count = NOTIFICATIONS_A_SECOND * seconds
        await untilNone(await makeNotificationsDue(stack, workspace, count))
        return count
      },
    },
    {
      name: 'mail of 10 KB',
      async run(seconds) {
        const sent = await repeat(seconds, (number) => smtp.sendMail({ envelope, raw: unlike(mail, number) }))
        await untilNone(() => messages.countDocuments(pending as object))
        return sent
      },
    },
    {
      name: 'event',
      async run(seconds) {
        const before = await ours.arrived()
        const { answered } = await events.post(ours, { connections: CALLERS, seconds })
        await untilNone(async () => before + answered - (await ours.arrived()))
        return answered
      },
    },
  ]
  const owned = cleanUp.move()
  return { all, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export async function measure(stack: Stack, { name, run }: Kind, seconds: number, idle: Record<string, number>) {
  const bytesBefore = await storedBytes(stack)
  const startedAt = performance.now()
  const readCpu = startCpuMeter(ourPeer(stack).processes, process.pid)
  const count = await run(seconds)
  const { byProcess, foreignCpus, stolenCpus } = readCpu()
  const elapsed = (performance.now() - startedAt) / 1000
  const used = Object.entries(byProcess).map(([part, us]) => [part, (us - (idle[part] ?? 0) * elapsed) / count])
  const { data, indexes } = growthOf(bytesBefore, await storedBytes(stack))
  const bytes = { data: data / count, indexes: indexes / count }
  return { name, count, elapsed, usByProcess: Object.fromEntries(used), bytes, foreignCpus, stolenCpus }
}

/** Of each process, in a second. */
export async function idleMicroseconds(stack: Stack, seconds: number): Promise<Record<string, number>> {
  const readCpu = startCpuMeter(ourPeer(stack).processes, process.pid)
  await sleep(seconds * 1000)
  return Object.fromEntries(Object.entries(readCpu().byProcess).map(([part, us]) => [part, us / seconds]))
}

async function repeat(seconds: number, once: (number: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000
  let count = 0
  const caller = async () => {
    while (performance.now() < end) {
      count += 1
      await once(count)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return count
}

/** The same mail with another Message-ID, so that it is a new one. */
function unlike(mail: string, number: number): string {
  return `Message-ID: <${number}.${performance.now()}@clinic.example>\r\n${mail}`
}

async function requireOk(answer: Promise<Response>): Promise<void> {
  const response = await answer
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`a page was answered ${response.status}`)
}

async function untilNone(count: () => Promise<number>): Promise<void> {
  const end = Date.now() + IDLE_WITHIN_MS
  while ((await count()) > 0) {
    if (Date.now() > end) throw new Error('the work after the answers did not end')
    await sleep(50)
  }
}
