import { equal } from 'node:assert/strict'
import { type Message, messageIdOf } from '@family-inbox/inbox/models/message'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import { quantile } from '../measure/statistics.ts'
import type { Peer } from '../peers/peer.ts'
import { askOnce, toolRequest } from '../peers/tool-request.ts'
import { fillInbox } from '../world/fill-inbox.ts'
import { mintWriters } from '../world/mint-writers.ts'
import type { Workspace } from '../world/workspace.ts'

export const TOOLS = ['reply_to_inbox_message', 'invite_family_member'] as const
/** What becomes of a write. */
export const ENDS = ['sent', 'waits'] as const

export type WriteKind = { tool: (typeof TOOLS)[number]; end: (typeof ENDS)[number] }

export type WriteSample = WriteKind &
  Noise & {
    round: number
    isNoisy: boolean
    p50Ms: number
    /** Processor time per write, until its mail has left. */
    cpuUs: number
    cpuUsByProcess: Record<string, number>
  }

/** In a batch. After it, what was counted is deleted: a family has a limit for each day. */
const WRITES = 40
const BATCHES = 3
/** They take turns, so none exceeds its limit. */
const KEYS = 200
const MESSAGES = 1000
const POLL_MS = 10
const SENT_WITHIN_MS = 60_000

const STATUS: Record<WriteKind['tool'], Record<WriteKind['end'], string>> = {
  reply_to_inbox_message: { sent: 'queued', waits: 'waiting_for_approval' },
  invite_family_member: { sent: 'invited', waits: 'waiting_for_approval' },
}

/** An assistant that writes one thing after the other. Checks every answer. @returns measures one kind of write */
export async function openWriter(peer: Peer, workspace: Workspace) {
  const keys = { sent: await mintWriters(workspace, KEYS, false), waits: await mintWriters(workspace, KEYS, true) }
  const nextMessage = createMessageSource(workspace)
  let turn = 0

  /** @returns the id of its mail, if there is one */
  async function write({ tool, end }: WriteKind, args: object): Promise<string | undefined> {
    const key = keys[end][turn++ % KEYS] ?? ''
    const { status, text } = await askOnce(peer, key, toolRequest(tool, { ...args, idempotencyKey: randomText(20) }))
    const said = status === 200 ? JSON.parse(text).result?.structuredContent : undefined
    equal(said?.status, STATUS[tool][end], `${tool} answered ${status}: ${text.slice(0, 300)}`)
    if (end === 'waits') return undefined
    return tool === 'reply_to_inbox_message' ? said.replyId : `${said.invitationId}-1`
  }

  async function measureBatch(kind: WriteKind) {
    const isReply = kind.tool === 'reply_to_inbox_message'
    const args: object[] = []
    while (args.length < WRITES)
      args.push(
        isReply
          ? { messageId: await nextMessage(), body: `We come on Tuesday. ${randomText(10)}` }
          : { email: `${randomText(12)}@guest.example`, role: 'viewer', message: 'You can see when the nurse comes.' },
      )
    const readCpu = startCpuMeter(peer.processes, process.pid)
    const times: number[] = []
    const mailIds: string[] = []
    for (const one of args) {
      const started = performance.now()
      const mailId = await write(kind, one)
      times.push(performance.now() - started)
      if (mailId !== undefined) mailIds.push(mailId)
    }
    await untilSent(workspace, mailIds)
    const cpu = readCpu()
    await forgetLimits(workspace)
    return { times, ...cpu }
  }

  return async function measure(kind: WriteKind): Promise<Omit<WriteSample, 'round' | 'isNoisy'>> {
    const batches: Awaited<ReturnType<typeof measureBatch>>[] = []
    while (batches.length < BATCHES) batches.push(await measureBatch(kind))
    const sum = (of: (batch: (typeof batches)[number]) => number) => batches.reduce((all, one) => all + of(one), 0)
    const writes = WRITES * BATCHES
    const names = Object.keys(peer.processes)
    const times = batches.flatMap((one) => one.times).sort((a, b) => a - b)
    return {
      ...kind,
      p50Ms: quantile(times, 0.5),
      cpuUs: sum(({ totalUs }) => totalUs) / writes,
      cpuUsByProcess: Object.fromEntries(
        names.map((name) => [name, sum(({ byProcess }) => byProcess[name] ?? 0) / writes]),
      ),
      foreignCpus: sum(({ foreignCpus }) => foreignCpus) / BATCHES,
      stolenCpus: sum(({ stolenCpus }) => stolenCpus) / BATCHES,
    }
  }
}

/** Each write is about a message of its own: most proposals are the first for theirs. */
function createMessageSource(workspace: Workspace): () => Promise<string> {
  const { lovedOneId, collection } = workspace
  const known = new Set<string>()
  const unused: string[] = []
  return async () => {
    if (unused.length === 0) {
      await fillInbox(workspace, { lovedOneId, count: MESSAGES })
      const rows = collection<Message>('inbox', 'messages').find({ lovedOneId }, { projection: { _id: 1 } })
      for await (const { _id } of rows) if (!known.has(_id)) unused.push(messageIdOf({ _id }))
      for (const id of unused) known.add(id)
    }
    return unused.pop() ?? ''
  }
}

async function untilSent({ collection }: Workspace, mailIds: string[]): Promise<void> {
  if (mailIds.length === 0) return
  const deliveries = collection<{ _id: string; state: string }>('inbox', 'deliveries')
  const sent = { _id: { $in: mailIds }, state: 'sent' }
  await waitFor(async () => (await deliveries.countDocuments(sent)) === mailIds.length || undefined, {
    timeoutMs: SENT_WITHIN_MS,
    everyMs: POLL_MS,
    timeout: () => new Error('not every mail was sent'),
  })
}

async function forgetLimits({ collection }: Workspace): Promise<void> {
  await collection('inbox', 'mail_allowances').deleteMany({})
  await collection('careCircle', 'mail_allowances').deleteMany({})
  await collection('careCircle', 'invitations').deleteMany({})
}
