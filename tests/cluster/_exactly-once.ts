import { setTimeout as sleep } from 'node:timers/promises'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { MongoClient } from 'mongodb'
import { openMailer } from '../_mailer.ts'
import type { Random } from '../_random.ts'
import { text } from '../mail-corpus/build-mail.ts'
import type { ClusterWorld } from './_cluster-world.ts'
import { insist } from './_insist.ts'

/** What was acknowledged, and how often each is there in the end. */
export type Counted = { trials: number; lost: string[]; doubled: string[] }

type Load = (world: ClusterWorld, random: Random, isOver: () => boolean) => Promise<() => Promise<Counted>>

const MOST_REST_MS = 250
const SETTLED_MS = 120_000

/** Mail for an inbox, sent again until it is accepted. */
export const receiveMails: Load = async ({ workspace, pipe }, random, isOver) => {
  const { id: lovedOneId, inboxAddress } = await insist(() => workspace.addLovedOne())
  const mailer = openMailer(pipe.stack)
  const sent: string[] = []
  while (!isOver()) {
    const subject = `Mail ${randomText(12)}`
    const mail = text('A word.', { From: 'Clinic <desk@clinic.example>', Subject: subject })
    await insist(async () => (await mailer.offer(inboxAddress, mail)) === 250 || undefined)
    sent.push(subject)
    await sleep(random.between(0, MOST_REST_MS))
  }
  return async () => {
    const { secret } = await insist(() => workspace.owner.mintKey())
    const found: string[] = []
    for (let cursor: string | undefined | null = null; cursor !== undefined; ) {
      const args = { lovedOneId, limit: 50, cursor: cursor ?? undefined }
      const page = await insist(async () => {
        const { json } = await pipe.call(secret, 'list_inbox_messages', args)
        return json?.result?.structuredContent as { messages: { subject: string }[]; nextCursor?: string } | undefined
      })
      found.push(...page.messages.map(({ subject }) => subject))
      cursor = page.nextCursor
    }
    return count(sent, found)
  }
}

/** Replies without an idempotency key, asked for again until they are answered. */
export const sendReplies: Load = async ({ pipe, workspace, sink }, random, isOver) => {
  const { id: lovedOneId, inboxAddress } = await insist(() => workspace.addLovedOne())
  const { secret } = await insist(() => workspace.owner.mintKey())
  await openMailer(pipe.stack).deliver(inboxAddress, text('A question.', { From: 'Clinic <desk@clinic.example>' }))
  const contentOf = (tool: string, args: object) =>
    insist(async () => (await pipe.call(secret, tool, args)).json?.result?.structuredContent)
  const { messages } = await contentOf('list_inbox_messages', { lovedOneId })
  const bodies = new Map<string, string>()
  while (!isOver()) {
    const body = `Reply ${randomText(12)}.`
    const { replyId } = await contentOf('reply_to_inbox_message', { messageId: messages[0].id, body })
    bodies.set(body, replyId)
    await sleep(random.between(0, MOST_REST_MS))
  }
  return async () => {
    const unknown = await untilSettled(pipe.stack.databaseUri('inbox'), [...bodies.values()])
    const found = sink.mails.flatMap(({ raw }) => [...bodies.keys()].filter((body) => raw.includes(body)))
    const { lost, ...counted } = count([...bodies.keys()], found)
    // After a crash while a mail was handed over, nobody knows whether it arrived. It says so, and is not sent again.
    return { ...counted, lost: lost.filter((body) => !unknown.has(bodies.get(body) ?? '')) }
  }
}

/** Waits until the fate of every mail is known. @returns those marked `unknown` */
async function untilSettled(uri: string, ids: string[]): Promise<Set<string>> {
  await using client = await MongoClient.connect(uri)
  const deliveries = client.db().collection<{ _id: string; state: string }>('deliveries')
  for (const giveUpAt = Date.now() + SETTLED_MS; ; await sleep(200)) {
    const rows = await deliveries.find({ _id: { $in: ids } }).toArray()
    const settled = rows.filter(({ state }) => ['sent', 'unknown', 'failed'].includes(state))
    if (settled.length === ids.length || Date.now() > giveUpAt)
      return new Set(rows.filter(({ state }) => state === 'unknown').map(({ _id }) => _id))
  }
}

function count(acknowledged: string[], found: string[]): Counted {
  const there = new Set(found)
  return {
    trials: acknowledged.length,
    lost: acknowledged.filter((one) => !there.has(one)),
    doubled: found.filter((one, index) => found.indexOf(one) !== index),
  }
}
