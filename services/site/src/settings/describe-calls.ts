import { type AuditCredential, type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { describeDone, times } from '@family-inbox/workspace-kit/describe-done'
import type { ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

/** One or more consecutive calls of the same kind, described in a sentence. */
export type Activity = {
  /** `Your` or `Luis Martin’s`. */
  owner: string
  /** The name of its tool key or app; undefined for the built-in assistant. */
  assistant?: string
  /** Completes the sentence: `read 3 messages`. */
  text: string
  refusal?: string
  count: number
  first: Date
  last: Date
}

export type ActivityDay = { day: Date; activities: Activity[] }

type People = {
  readerId: string
  nameOf: ReadonlyMap<string, string>
}

/** @param calls newest first */
export function describeCalls(
  calls: readonly AuditEntry[],
  credentials: readonly AuditCredential[],
  people: People,
  clock: ReaderClock,
): ActivityDay[] {
  const credentialOf = new Map(credentials.map(({ id, name }) => [id, name]))
  const days: ActivityDay[] = []
  for (const group of groupCalls(calls, clock)) {
    const activity = toActivity(group, credentialOf, people)
    const lastDay = days.at(-1)
    if (lastDay && calendarDay(lastDay.day, clock) === calendarDay(activity.last, clock))
      lastDay.activities.push(activity)
    else days.push({ day: activity.last, activities: [activity] })
  }
  return days
}

type Group = [AuditEntry, ...AuditEntry[]]

/** Groups consecutive calls that differ only in their time. */
function groupCalls(calls: readonly AuditEntry[], clock: ReaderClock): Group[] {
  const kindOf = ({ personId, credentialId, tool, outcome, startedAt }: AuditEntry) =>
    [personId, credentialId, tool, outcome, startedAt && calendarDay(startedAt, clock)].join('\n')
  const groups: Group[] = []
  for (const call of calls) {
    const group = groups.at(-1)
    if (group && kindOf(group[0]) === kindOf(call)) group.push(call)
    else groups.push([call])
  }
  return groups
}

function toActivity(group: Group, credentialOf: ReadonlyMap<string, string>, people: People): Activity {
  const [latest] = group
  const count = group.length
  const todo = Object.hasOwn(TOOLS, latest.tool) ? TOOLS[latest.tool as ToolName].todo : 'call an unknown tool'
  const refusal = REFUSALS[latest.outcome]
  return {
    owner: ownerOf(latest, people),
    assistant: assistantOf(latest, credentialOf),
    text:
      refusal === undefined ? describeDone(latest, count) : `tried to ${todo}${count > 1 ? ` ${times(count)}` : ''}`,
    refusal,
    count,
    first: (group.at(-1) ?? latest).startedAt ?? new Date(0),
    last: latest.startedAt ?? new Date(0),
  }
}

function ownerOf({ personId }: AuditEntry, { readerId, nameOf }: People): string {
  if (personId === readerId) return 'Your'
  return `${nameOf.get(personId) ?? 'A former member'}’s`
}

function assistantOf({ kind, credentialId }: AuditEntry, credentialOf: ReadonlyMap<string, string>) {
  if (kind === CredentialKind.SESSION) return undefined
  return credentialOf.get(credentialId) || 'no longer connected'
}

type Words = { label: string; todo: string }

export const TOOLS: Readonly<Record<ToolName, Words>> = {
  ping: { label: 'Checking the connection', todo: 'check its connection' },
  get_user_profile: { label: 'Reading your profile', todo: 'read your profile' },
  list_loved_ones: { label: 'Listing loved ones', todo: 'list your loved ones' },
  list_family_members: { label: 'Listing the care circle', todo: 'list the care circle' },
  list_inbox_messages: { label: 'Looking through the inbox', todo: 'look through the inbox' },
  get_inbox_message: { label: 'Reading messages', todo: 'read a message' },
  list_care_events: { label: 'Reading the timeline', todo: 'read the timeline' },
  invite_family_member: { label: 'Inviting people', todo: 'invite a person' },
  create_provider_code: { label: 'Creating codes for agencies', todo: 'create a code for an agency' },
  reply_to_inbox_message: { label: 'Sending replies', todo: 'send a reply' },
}

const REFUSALS: Record<Outcome, string | undefined> = {
  [Outcome.OK]: undefined,
  [Outcome.REFUSED]: 'Refused: it was not allowed, or the item doesn’t exist.',
  [Outcome.INSUFFICIENT_SCOPE]: 'Refused: it has read-only access.',
  [Outcome.RATE_LIMITED]: 'Refused: too many calls within a minute.',
  [Outcome.FAILED]: 'Failed on our side.',
  [Outcome.UNAUTHENTICATED]: 'Refused: its access was revoked or expired.',
  [Outcome.CONFIRMATION_ASKED]: 'Waited for a confirmation.',
  [Outcome.APPROVAL_ASKED]: 'Waited for approval. Nothing was sent by this call.',
  [Outcome.UNSPECIFIED]: 'Result unknown.',
  [Outcome.UNRECOGNIZED]: 'Result unknown.',
}
