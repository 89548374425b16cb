import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { claimDue } from '@family-inbox/service-kit/mongo/claim-due'
import { trySpendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { earliest, earliestOf } from '@family-inbox/service-kit/mongo/rows'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import type { AlarmKind } from '../models/alarm-marks.ts'
import type { AuditEntry } from '../models/audit-entry.ts'
import type { Grant } from '../models/grant.ts'
import type { ToolKey } from '../models/tool-key.ts'
import { ASSISTANT_KINDS, assistantsOf, DONE, WRITE_TOOLS } from './alarms.ts'
import { type Alarm, alarmMail } from './write-alarm.ts'

/** An assistant that wrote before there were alarms has an entry that is older than the mark by more than its call. */
const CALL_MS = 60_000
/** To one member: whoever makes and revokes keys cannot flood the owner. */
const PER_DAY = 10

/** Safe on any number of replicas: one claims each, and a repeated mail has the same id. */
export function sendAlarms(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => nextAlarm(ctx),
    sweep: () => sendNext(ctx),
    wake: ctx.wake.alarms,
    failureMessage: 'an alarm could not be sent; will retry',
    logger: ctx.logger,
  })
}

function nextAlarm(ctx: Context): Promise<Date | undefined> {
  return earliestOf(ASSISTANT_KINDS.map((kind) => earliest({ collection: assistantsOf(ctx, kind) }, 'alarmDueAt')))
}

type Row = Pick<ToolKey & Grant, '_id' | 'personId' | 'workspaceId' | 'name' | 'clientName' | 'alarms'>

async function sendNext(ctx: Context): Promise<boolean> {
  const now = new Date()
  for (const kind of ASSISTANT_KINDS) {
    const assistants = assistantsOf(ctx, kind)
    const row = await claimDue<Row>({ rows: { collection: assistants }, field: 'alarmDueAt' })
    if (row === null) continue
    const due = Object.entries(row.alarms ?? {}).filter(([, dueAt]) => dueAt <= now) as [AlarmKind, Date][]
    for (const [alarm, dueAt] of due) await sendAlarm(ctx, kind, row, alarm, dueAt)
    await assistants.updateOne({ _id: row._id as never }, finished(due))
    return true
  }
  return false
}

/** Keeps what was marked meanwhile. */
function finished(due: [AlarmKind, Date][]) {
  const alarms = { $objectToArray: { $ifNull: ['$alarms', {}] } }
  const isSent = { $in: ['$$this', { $literal: due.map(([k, v]) => ({ k, v })) }] }
  const others = { $arrayToObject: { $filter: { input: alarms, cond: { $not: [isSent] } } } }
  const isNetwork = due.some(([kind]) => kind === 'new_network')
  return [
    { $set: { alarms: others, ...(isNetwork && { networkAlarmAt: '$$NOW' }) } },
    { $set: { alarmDueAt: { $ifNull: [{ $min: { $map: { input: alarms, in: '$$this.v' } } }, '$$REMOVE'] } } },
  ]
}

async function sendAlarm(ctx: Context, kind: CredentialKind, row: Row, alarm: AlarmKind, dueAt: Date): Promise<void> {
  const { _id, workspaceId, personId } = row
  const firstWrite = alarm === 'first_write' ? await findFirstWrite(ctx, row) : undefined
  if (firstWrite && firstWrite.startedAt.getTime() < dueAt.getTime() - CALL_MS) return
  const asked = { workspaceId, personIds: [personId], emails: [], owner: true }
  const { recipients, workspaceName } = await ctx.careCircle.listMailRecipients(asked)
  const person = recipients.find((one) => one.personId === personId)
  if (person === undefined) return
  const about: Alarm = {
    kind: alarm,
    dueAt,
    credentialId: _id,
    workspaceId,
    workspaceName,
    person,
    assistant: row.name ?? row.clientName,
    path: `/settings/${kind === CredentialKind.TOOL_KEY ? 'tool-keys' : 'connected-apps'}/${_id}`,
    firstWrite,
  }
  for (const recipient of recipients) if (recipient.email !== '') await sendTo(ctx, about, recipient)
}

async function findFirstWrite(ctx: Context, { _id, workspaceId }: Row): Promise<AuditEntry | undefined> {
  const writes = { workspaceId, credentialId: _id, tool: { $in: WRITE_TOOLS }, outcome: { $in: DONE } }
  return (await ctx.auditEntries.findOne(writes).sort({ startedAt: 1 }).lean()) ?? undefined
}

async function sendTo(ctx: Context, alarm: Alarm, recipient: MailRecipient): Promise<void> {
  const mail = alarmMail(ctx.config.urls.inbox, alarm, recipient)
  const _id = `alarms/${alarm.workspaceId}/${recipient.personId}`
  const limit = { _id, windows: [{ most: PER_DAY, ms: DAY_MS }] }
  // The activity list has the rest.
  if (await trySpendRateLimits(ctx.mailLimits, [limit], mail.id)) await ctx.mailQueue.send(mail)
}
