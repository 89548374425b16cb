import { type Message, publicIdOf } from '@family-inbox/inbox/models/message'
import type { MessageAside } from '@family-inbox/inbox/models/message-aside'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { spreadOf } from '../measure/statistics.ts'
import { fillInbox } from './fill-inbox.ts'
import type { Workspace } from './workspace.ts'

const CHUNK = 1000
const ASKED_ALONE = 20

export type Junk = {
  /** How many are left. */
  count(): Promise<number>
  /** Makes all of it due to be deleted. @returns the path of one */
  makeDue(): Promise<string>
}

/** Adds so much mail to Junk, as if its senders were blocked. */
export async function fillJunk(workspace: Workspace, count: number): Promise<Junk> {
  const { lovedOneId } = workspace
  const messages = workspace.collection<Message>('inbox', 'messages')
  const aside = workspace.collection<MessageAside>('inbox', 'messages_aside')
  const known = new Set(
    (await messages.find({ lovedOneId }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
  )
  await fillInbox(workspace, { lovedOneId, count })
  const ids = (await messages.find({ lovedOneId }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)
  const added = ids.filter((_id) => !known.has(_id))
  for (let from = 0; from < added.length; from += CHUNK) {
    const chunk = { _id: { $in: added.slice(from, from + CHUNK) } }
    await aside.insertMany((await messages.find(chunk).toArray()).map(toJunk), { writeConcern: { w: 1 } })
    await messages.deleteMany(chunk)
  }
  return {
    count: () => aside.countDocuments({ lovedOneId }),
    async makeDue() {
      await aside.updateMany({ lovedOneId }, { $set: { purgeAt: new Date() } })
      const one = await aside.findOne({ lovedOneId })
      if (one === null) throw new Error('there is no junk')
      return `/junk/${lovedOneId}/${publicIdOf(one)}`
    },
  }
}

function toJunk(message: Message): MessageAside {
  const { _id, workspaceId, lovedOneId, receivedAt } = message
  const purgeAt = new Date(Date.now() + 30 * DAY_MS)
  return { _id, workspaceId, lovedOneId, place: 'junk', messages: 1, movedAt: receivedAt, purgeAt, message }
}

/** @param ask what somebody else does meanwhile */
export async function measureDeletion({ inboxUrl }: Stack, junk: Junk, cookie: string, ask: () => Promise<unknown>) {
  const count = await junk.count()
  const timeOf = async () => {
    const started = performance.now()
    await ask()
    return performance.now() - started
  }
  const alone: number[] = []
  for (let times = 0; times < ASKED_ALONE; times += 1) alone.push(await timeOf())
  const path = await junk.makeDue()
  // Deleting one wakes who deletes all.
  const headers = { cookie, origin: inboxUrl }
  await fetch(`${inboxUrl}${path}/delete`, { method: 'POST', headers, redirect: 'manual' })
  const started = performance.now()
  const beside: number[] = []
  while ((await junk.count()) > 0) beside.push(await timeOf())
  const seconds = (performance.now() - started) / 1000
  const [aloneMs, besideMs] = [alone, beside].map((times) => spreadOf(times).median.toFixed(0))
  const words = `${count} are deleted in ${seconds.toFixed(1)} s; meanwhile another family’s inbox opens in ${besideMs} ms instead of ${aloneMs} ms.`
  return { seconds, alone, beside, words }
}
