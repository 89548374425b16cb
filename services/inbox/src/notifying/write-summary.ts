import { type AuditCount, type CountCallsResponse, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { type MailRecipient, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { describeDone } from '@family-inbox/workspace-kit/describe-done'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import { TOOLS } from '@family-inbox/workspace-kit/tool-catalogue'
import type { Context } from '../context.ts'
import type { NotificationSetting } from '../models/notification-setting.ts'

const COUNT_MS = 10_000

export type DueSummary = NotificationSetting & { summaryUpTo: Date; summarizedUpTo: Date }

/** Its id derives from the setting and its end, so a retry sends nothing twice. `no member`: the person has left. */
export async function writeSummary(ctx: Context, setting: DueSummary): Promise<boolean | 'no member'> {
  const { workspaceId, personId, summarizedUpTo, summaryUpTo, changedAt } = setting
  const everyone = { workspaceId, personIds: [], emails: [], owner: false, everyone: true }
  const { recipients, workspaceName } = await ctx.careCircle.listMailRecipients(everyone)
  const recipient = recipients.find((one) => one.personId === personId)
  // A person who left and came back has to opt in again.
  if (recipient === undefined || (recipient.joinedAt ?? new Date(0)) > changedAt) return 'no member'
  const visible = { workspaceId, personId: recipient.role === Role.OWNER ? '' : personId }
  const deadline = Date.now() + COUNT_MS
  const calls = await ctx.auth.countCalls({ ...visible, after: summarizedUpTo, until: summaryUpTo }, { deadline })
  const lines = summarize(calls, {
    readerId: personId,
    nameOf: new Map(recipients.map((one) => [one.personId, one.name])),
  })
  if (lines.length === 0) return false
  await ctx.mailQueue.send(summaryMail(ctx.config.inboxUrl, setting, recipient, workspaceName, lines))
  return true
}

type People = { readerId: string; nameOf: ReadonlyMap<string, string> }

/** A line for each assistant that did something with what is the family's. */
export function summarize({ counts, credentials }: CountCallsResponse, { readerId, nameOf }: People): string[] {
  const credentialOf = new Map(credentials.map(({ id, name }) => [id, name]))
  // A person's sessions are one assistant.
  const assistants = Map.groupBy(counts, ({ personId, credentialId, kind }) =>
    kind === CredentialKind.SESSION ? `${personId} ${kind}` : credentialId,
  )
  return [...assistants.values()].flatMap((calls) => {
    const [{ personId, credentialId, kind } = NOBODY] = calls
    const done = describeAll(calls)
    if (done.length === 0) return []
    const refused = totalOf(calls, REFUSED)
    const failed = totalOf(calls, [Outcome.FAILED])
    const words = [...done, ...(refused > 0 ? [`${refused} refused`] : []), ...(failed > 0 ? [`${failed} failed`] : [])]
    const assistant =
      kind === CredentialKind.SESSION
        ? 'The assistant in this app'
        : toMailName(credentialOf.get(credentialId) ?? '') || 'An assistant that is no longer connected'
    const person = personId === readerId ? 'you' : toMailName(nameOf.get(personId) ?? '') || 'a former member'
    return [`${assistant}, for ${person}: ${words.join(', ')}`]
  })
}

const NOBODY = { personId: '', credentialId: '', kind: CredentialKind.UNSPECIFIED }

const REFUSED: Outcome[] = [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.UNAUTHENTICATED]

/** Leaves out checks of the connection and of the profile: those say nothing about the family. */
function describeAll(calls: AuditCount[]): string[] {
  const tools = TOOLS.filter((tool) => 'scope' in tool && tool.scope.startsWith('care_circle:'))
  return tools.flatMap(({ name: tool }) =>
    [Outcome.OK, Outcome.APPROVAL_ASKED].flatMap((outcome) => {
      const ended = calls.filter((call) => call.tool === tool && call.outcome === outcome)
      const messages = ended.reduce((sum, one) => sum + one.messages, 0)
      return ended.length === 0 ? [] : [describeDone({ tool, outcome, calls: totalOf(ended, [outcome]), messages })]
    }),
  )
}

function totalOf(counts: AuditCount[], outcomes: Outcome[]): number {
  return counts.reduce((sum, { outcome, calls }) => sum + (outcomes.includes(outcome) ? calls : 0), 0)
}

/** Names and counts only: anyone who sees the mail could read more. */
function summaryMail(
  inboxUrl: string,
  { _id, workspaceId, unsubscribeToken, summarizedUpTo, summaryUpTo, timeZone }: DueSummary,
  recipient: MailRecipient,
  workspaceName: string,
  lines: string[],
): OutgoingMail {
  const family = toMailName(workspaceName) || 'your family'
  const day = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'long', month: 'long', day: 'numeric' })
  return {
    id: deriveMailId('summary', [_id, summaryUpTo.toISOString()]),
    kind: MailKind.NEW_MAIL,
    workspaceId,
    ...fromService(recipient),
    subject: `What assistants did in ${family}`,
    text: [
      `From ${day.format(summarizedUpTo)} to ${day.format(summaryUpTo)}:`,
      ...lines,
      'For privacy, this email doesn’t include what they read or wrote.',
      `You turned on the weekly summary for ${family}. Turn it off: ${inboxUrl}/settings/notifications`,
    ].join('\n\n'),
    actionLabel: 'See every call',
    actionUrl: `${inboxUrl}/settings/agent-activity`,
    unsubscribeUrl: `${inboxUrl}/unsubscribe/${unsubscribeToken}/weekly`,
  }
}
