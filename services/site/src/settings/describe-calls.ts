import {
  type ActDetail,
  type AuditCount,
  type AuditCredential,
  type AuditEntry,
  CredentialKind,
  type MessageRef,
  Outcome,
} from '@family-inbox/proto/auth/v1/auth'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { describeEnded, describeTried, REFUSALS, summaryOf } from './activity-words.ts'

/** Consecutive calls of one assistant and kind, described in a sentence. */
export type Activity = {
  /** Completes the sentence: `read 3 messages`. */
  text: string
  /** Why the calls did nothing. */
  refusal?: string
  /** Whether they waited for a person, which is no fault. */
  isWaiting: boolean
  calls: number
  first: Date
  last: Date
  /** Each once, the latest first. */
  messages: MessageRef[]
  /** What else a person's act was about. */
  detail?: ActDetail
}

/** Of an assistant, or of a person. */
export type AssistantDay = {
  credentialId: string
  personId: string
  /** Such as `You` or `Luis Martin`; undefined for an assistant. */
  person?: string
  /** `Your` or `Luis Martin’s`. */
  owner: string
  /** The name of its tool key or app; undefined for the built-in assistant. */
  assistant?: string
  /** Completes the sentence, for the whole day. */
  summary: string
  /** The number of calls on the day; undefined if they are too many to count. */
  calls: number | undefined
  /** Whether this page lists all of them. */
  isComplete: boolean
  /** The activities on this page, the latest first. */
  activities: Activity[]
}

/** @property day such as 2026-05-14 */
export type ActivityDay = { day: string; assistants: AssistantDay[] }

type Calls = {
  /** Newest first. */
  entries: readonly AuditEntry[]
  counts: readonly AuditCount[]
  credentials: readonly AuditCredential[]
}

type People = {
  readerId: string
  nameOf: ReadonlyMap<string, string>
}

/** The calls of a page by day and assistant, with sums of whole days. */
export function describeCalls(calls: Calls, people: People, clock: ReaderClock): ActivityDay[] {
  const credentialOf = new Map(calls.credentials.map(({ id, name }) => [id, name]))
  const entriesOf = Map.groupBy(calls.entries, ({ startedAt }) => calendarDay(startedAt ?? new Date(0), clock))
  const countsOf = Map.groupBy(calls.counts, ({ day }) => day)
  return [...entriesOf].map(([day, entries]) => {
    const ofAssistant = Map.groupBy(entries, assistantKey)
    const counted = Map.groupBy(countsOf.get(day) ?? [], assistantKey)
    const keys = new Set([...ofAssistant.keys(), ...counted.keys()])
    const assistants = [...keys].map((key) =>
      describeDay(ofAssistant.get(key) ?? [], counted.get(key) ?? [], credentialOf, people),
    )
    return { day, assistants }
  })
}

type Assistant = Pick<AuditEntry, 'personId' | 'credentialId' | 'kind'>

function assistantKey({ personId, credentialId }: Assistant): string {
  return `${personId}\n${credentialId}`
}

function describeDay(
  entries: AuditEntry[],
  counts: AuditCount[],
  credentialOf: ReadonlyMap<string, string>,
  people: People,
): AssistantDay {
  const [one = NOBODY] = [...entries, ...counts]
  const calls = counts.length > 0 ? counts.reduce((sum, one) => sum + one.calls, 0) : undefined
  return {
    credentialId: one.credentialId,
    personId: one.personId,
    person: one.kind === CredentialKind.PERSON ? personOf(one, people) : undefined,
    owner: ownerOf(one, people),
    assistant: assistantOf(one, credentialOf),
    summary: calls === undefined ? 'made too many calls to count' : summaryOf(counts),
    calls,
    isComplete: calls === entries.length,
    activities: groupCalls(entries).map(toActivity),
  }
}

const NOBODY: Assistant = { personId: '', credentialId: '', kind: CredentialKind.UNSPECIFIED }

type Group = [AuditEntry, ...AuditEntry[]]

const detailOf = ({ detail = {} }: AuditEntry) =>
  [detail.personId, detail.lovedOneId, detail.word].map((part = '') => part).join('\n')

/** Groups consecutive calls that differ only in their time and message. */
function groupCalls(calls: readonly AuditEntry[]): Group[] {
  const groups: Group[] = []
  for (const call of calls) {
    const group = groups.at(-1)
    if (group && isAlike(group[0], call)) group.push(call)
    else groups.push([call])
  }
  return groups
}

function isAlike(one: AuditEntry, other: AuditEntry): boolean {
  return one.tool === other.tool && one.outcome === other.outcome && detailOf(one) === detailOf(other)
}

function toActivity(group: Group): Activity {
  const [latest] = group
  const refusal = REFUSALS[latest.outcome]
  const messages = messagesOf(group)
  const unnamed = group.filter(({ message }) => message === undefined).length
  const done = { ...latest, calls: group.length, messages: messages.length + unnamed }
  const isDone = refusal === undefined || latest.outcome === Outcome.APPROVAL_ASKED
  return {
    text: isDone ? describeEnded(done) : describeTried(latest.tool, group.length),
    refusal,
    isWaiting: latest.outcome === Outcome.APPROVAL_ASKED || latest.outcome === Outcome.CONFIRMATION_ASKED,
    calls: group.length,
    first: (group.at(-1) ?? latest).startedAt ?? new Date(0),
    last: latest.startedAt ?? new Date(0),
    messages,
    detail: latest.detail,
  }
}

function messagesOf(group: Group): MessageRef[] {
  const found = new Map<string, MessageRef>()
  for (const { message } of group) if (message && !found.has(message.messageId)) found.set(message.messageId, message)
  return [...found.values()]
}

function ownerOf({ personId }: Assistant, { readerId, nameOf }: People): string {
  if (personId === readerId) return 'Your'
  return `${nameOf.get(personId) ?? 'A former member'}’s`
}

/** Whoever opened a link is nobody we know. */
function personOf({ personId }: Assistant, { readerId, nameOf }: People): string {
  if (personId === '') return 'Somebody with a link'
  return personId === readerId ? 'You' : (nameOf.get(personId) ?? 'A former member')
}

function assistantOf({ kind, credentialId }: Assistant, credentialOf: ReadonlyMap<string, string>) {
  if (kind === CredentialKind.SESSION) return undefined
  return credentialOf.get(credentialId) || 'no longer connected'
}
