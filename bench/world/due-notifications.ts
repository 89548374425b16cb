import type { Message } from '@family-inbox/inbox/models/message'
import type { NotificationSetting } from '@family-inbox/inbox/models/notification-setting'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { databaseName, openDatabase } from '../../tests/_database.ts'
import type { Workspace } from './workspace.ts'

/** Each tells of the newest messages, as in a family with little new mail. */
const NEW_MESSAGES = 2

/** Digests that are all due now, as in the morning. @returns how many of them are still due */
export async function makeNotificationsDue(
  stack: Stack,
  workspace: Workspace,
  count: number,
): Promise<() => Promise<number>> {
  const { workspaceId, personId } = workspace.ownerKey
  const { lovedOneId } = workspace
  const messages = workspace.collection<Message>('inbox', 'messages')
  const newest = messages.find({ workspaceId, lovedOneId }).sort({ receivedAt: -1 }).skip(NEW_MESSAGES).limit(1)
  const [before] = await newest.toArray()
  if (before === undefined) throw new Error('the inbox has too few messages')
  const run = newId('run')
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ _id: `${workspaceId}/${run}/${index}`, workspaceId, personId, mode: 'digest' as const, timeZone: 'UTC' },
    ...{ unsubscribeToken: newId('tok'), changedAt: new Date(), notifiedUpTo: before.receivedAt, dueAt: new Date() },
  }))
  // Its writes tell the service to look at once.
  await using client = await openDatabase(stack)
  await client
    .db(databaseName(stack, 'inbox'))
    .collection<NotificationSetting>('notification_settings')
    .insertMany(rows)
  const settings = workspace.collection<NotificationSetting>('inbox', 'notification_settings')
  const ofRun = { $gte: `${workspaceId}/${run}/`, $lt: `${workspaceId}/${run}0` }
  return () => settings.countDocuments({ _id: ofRun, dueAt: { $lte: new Date() } })
}
