import type { OtherMember } from '@family-inbox/ops/demo-seed'
import { untilNoMailIsDue } from '../_due-mail.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import type { World } from './_assistants.ts'

type Setting = {
  _id: string
  workspaceId: string
  summaryDueAt?: Date
  summarizedUpTo?: Date
  summaryUpTo?: Date
}

export const SUMMARY = /^What assistants did in The Almeida family$/

/** A new family, what its members choose, and how a Monday comes. */
export async function newScene<Other extends OtherMember = never>({ f, sink, inbox, auth }: World, ...others: Other[]) {
  const family = await f.another({ withMail: true, others })
  const { workspaceId, keys } = family
  const rows = inbox.collection<Setting>('notification_settings')
  const mine = { workspaceId, summaryDueAt: { $exists: true } }
  const choose = async (email: string, weeklySummary = '1', timeZone = 'Asia/Kolkata') => {
    const visitor = await signIn(f, sink, email)
    const form = { mode: 'personal', timeZone, ...(weeklySummary && { weeklySummary }) }
    await visitor.save('/settings/notifications', form)
    return visitor
  }
  /** Lets Monday morning come, for everyone in the family, once the calls are old enough. */
  const monday = async () => {
    await letPass()
    await rows.updateMany(mine, { $set: { summaryDueAt: new Date(Date.now() - 1) } })
    await until(async () => (await rows.countDocuments({ ...mine, summaryDueAt: { $lt: new Date() } })) === 0)
  }
  /** A summary leaves out the last second, whose calls may not be recorded yet. So everything happened before it. */
  const letPass = async () => {
    const earlier = (field: string) => [{ $set: { [field]: { $subtract: [`$${field}`, 2000] } } }]
    await auth.collection('audit_entries').updateMany({ workspaceId }, earlier('startedAt'))
    await rows.updateMany({ ...mine, summarizedUpTo: { $exists: true } }, earlier('summarizedUpTo'))
  }
  const isOver = () => untilNoMailIsDue(f.stack, workspaceId)
  const read = async (key: string) => {
    const lovedOneId = family.lovedOnes[0]?.id
    const list = await f.call(key, 'list_inbox_messages', { lovedOneId })
    const { id: messageId, subject } = list.json.result.structuredContent.messages[0]
    await f.call(key, 'get_inbox_message', { lovedOneId, messageId })
    return { lovedOneId, messageId, subject }
  }
  return { ...family, keys, rows, mine, choose, monday, letPass, isOver, read }
}
