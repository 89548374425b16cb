import { randomText } from '@family-inbox/service-kit/ids/ids'
import type { MongoClient } from 'mongodb'
import { untilNoMailIsDue } from '../_due-mail.ts'
import type { Guest } from '../_family.ts'
import type { Sink, SunkMail } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { signIn, type Visitor } from '../_visitor.ts'
import { mail } from '../mail-corpus/build-mail.ts'

/** What one person gets next. */
export type List = {
  _id: string
  dueAt?: Date
  pending?: string[]
  given: string[]
  notices: { id: string; dueAt: Date }[]
}

const isNotice = ({ headers }: SunkMail) =>
  /^Subject: .*(handed you|mentioned you|Reminder about|things for you)/m.test(headers)

/** Those that have come to this address. */
export const noticesTo = (sink: Sink, to: string) => sink.mails.filter((one) => one.to.includes(to) && isNotice(one))

let building: Promise<unknown> = Promise.resolve()

/** One after another: ten families that sign in at once would make each other wait for too long. */
export function newScene(f: Guest, sink: Sink): ReturnType<typeof buildScene> {
  const scene = building.then(() => buildScene(f, sink))
  building = scene.catch(() => {})
  return scene
}

/** A new family with a message, its owner and coordinator signed in, and the ids of the members. */
async function buildScene(f: Guest, sink: Sink) {
  const family = await f.another({ others: ['coordinator', 'viewer'] })
  const { people, keys, lovedOnes, workspaceId } = family
  const [rosa] = lovedOnes
  const subject = `Potassium ${randomText(8)}`
  const raw = mail(
    { From: 'Desk <desk@clinic.example>', Subject: subject, 'Message-ID': `<${subject.slice(10)}@clinic.example>` },
    'Dear Rosa',
  )
  await openMailer(f.stack).deliver(rosa?.inboxAddress ?? '', raw)
  const list = await f.call(keys.owner, 'list_inbox_messages', { lovedOneId: rosa?.id })
  const messageId = list.json.result.structuredContent.messages.find(
    (one: { subject: string }) => one.subject === subject,
  ).id
  const [ana, luis] = [await signIn(f, sink, people.owner), await signIn(f, sink, people.coordinator)]
  return {
    family,
    people,
    keys,
    workspaceId,
    ana,
    luis,
    subject,
    messageId,
    address: rosa?.inboxAddress ?? '',
    untilQuiet: () => untilNoMailIsDue(f.stack, workspaceId),
    path: `/inbox/${rosa?.id}/${messageId}`,
  }
}

/** The id of a member, as the form to hand over offers it. */
export async function idOf(visitor: Visitor, path: string, name: string): Promise<string> {
  const { text } = await visitor.get(path)
  return new RegExp(`<option value="(per_\\w+)">${name}`).exec(text)?.[1] ?? ''
}

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Makes everyone’s notices due. */
export async function makeDue(mongo: MongoClient, workspaceId: string): Promise<void> {
  const past = new Date(Date.now() - 1000)
  const due = { $set: { dueAt: past, 'notices.$[].dueAt': past } }
  await mongo
    .db()
    .collection<List>('notice_lists')
    .updateMany({ workspaceId, 'notices.0': { $exists: true } }, due)
}
