import { type AuditCredential, type AuditEntry, CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import { calendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

/** What an assistant did, in a sentence: several calls of the same kind in a row are one deed. */
export type Deed = {
  /** Whose assistant it was: `Your`, `Luis Martin’s`. */
  whose: string
  /** What it is called, after the key or application it came with; undefined for the assistant in the application. */
  assistant?: string
  /** What it did, to go after the assistant: `read 3 messages`. */
  text: string
  /** Why it did not get through; undefined when it did. */
  refusal?: string
  count: number
  first: Date
  last: Date
}

/** The deeds of one of the reader's days, newest first. */
export type DayOfDeeds = { day: Date; deeds: Deed[] }

export type People = {
  readerId: string
  nameOf: ReadonlyMap<string, string>
}

/**
 * Tells calls as what they are to a person.
 * @param calls newest first
 */
export function describeCalls(
  calls: readonly AuditEntry[],
  credentials: readonly AuditCredential[],
  people: People,
  clock: ReaderClock,
): DayOfDeeds[] {
  const credentialOf = new Map(credentials.map(({ id, name }) => [id, name]))
  const days: DayOfDeeds[] = []
  for (const group of inGroups(calls, clock)) {
    const deed = toDeed(group, credentialOf, people)
    const today = days.at(-1)
    if (today && calendarDay(today.day, clock) === calendarDay(deed.last, clock)) today.deeds.push(deed)
    else days.push({ day: deed.last, deeds: [deed] })
  }
  return days
}

type Group = [AuditEntry, ...AuditEntry[]]

/** Calls that follow one another and differ in nothing but the minute. */
function inGroups(calls: readonly AuditEntry[], clock: ReaderClock): Group[] {
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

function toDeed(group: Group, credentialOf: ReadonlyMap<string, string>, people: People): Deed {
  const [latest] = group
  const count = group.length
  const words = (Object.hasOwn(TOOLS, latest.tool) ? TOOLS[latest.tool] : undefined) ?? UNKNOWN_TOOL
  const refusal = REFUSALS[latest.outcome]
  return {
    whose: whoseOf(latest, people),
    assistant: assistantOf(latest, credentialOf),
    text: refusal === undefined ? words.did(count) : `tried to ${words.todo}${count > 1 ? ` ${times(count)}` : ''}`,
    refusal,
    count,
    first: (group.at(-1) ?? latest).startedAt ?? new Date(0),
    last: latest.startedAt ?? new Date(0),
  }
}

function whoseOf({ personId }: AuditEntry, { readerId, nameOf }: People): string {
  if (personId === readerId) return 'Your'
  return `${nameOf.get(personId) ?? 'A former member'}’s`
}

function assistantOf({ kind, credentialId }: AuditEntry, credentialOf: ReadonlyMap<string, string>) {
  if (kind === CredentialKind.SESSION) return undefined
  return credentialOf.get(credentialId) || 'no longer connected'
}

type Words = {
  /** What it did, so many times. */
  did: (count: number) => string
  /** What it tried to do. */
  todo: string
}

const often = (text: string) => (count: number) => (count === 1 ? text : `${text} ${times(count)}`)
const counted = (verb: string, one: string, many: string) => (count: number) =>
  count === 1 ? `${verb} ${one}` : `${verb} ${count} ${many}`

function times(count: number): string {
  return count === 2 ? 'twice' : `${count} times`
}

/** The tools of the family tool server (SPEC "Tools"), as deeds. */
export const TOOLS: Readonly<Record<string, Words & { label: string }>> = {
  ping: { label: 'Checking the connection', did: often('checked its connection'), todo: 'check its connection' },
  get_user_profile: {
    label: 'Looking up who you are',
    did: often('looked up who you are'),
    todo: 'look up who you are',
  },
  list_loved_ones: {
    label: 'Looking at who you care for',
    did: often('looked at who you care for'),
    todo: 'look at who you care for',
  },
  list_family_members: {
    label: 'Looking at the care circle',
    did: often('looked at who is in the care circle'),
    todo: 'look at who is in the care circle',
  },
  list_inbox_messages: {
    label: 'Looking through the inbox',
    did: often('looked through the inbox'),
    todo: 'look through the inbox',
  },
  get_inbox_message: {
    label: 'Reading messages',
    did: counted('read', 'a message', 'messages'),
    todo: 'read a message',
  },
  list_care_events: { label: 'Reading the timeline', did: often('read the timeline'), todo: 'read the timeline' },
  invite_family_member: {
    label: 'Inviting people',
    did: counted('invited', 'somebody', 'people'),
    todo: 'invite somebody',
  },
  create_provider_code: {
    label: 'Making codes for providers',
    did: counted('made', 'a code for a provider', 'codes for providers'),
    todo: 'make a code for a provider',
  },
  reply_to_inbox_message: {
    label: 'Sending replies',
    did: counted('sent', 'a reply', 'replies'),
    todo: 'send a reply',
  },
}

const UNKNOWN_TOOL: Words = {
  did: often('asked for something there is not'),
  todo: 'do something there is not',
}

const REFUSALS: Record<Outcome, string | undefined> = {
  [Outcome.OK]: undefined,
  [Outcome.REFUSED]: 'Refused: it was not allowed, or what it asked for is not there.',
  [Outcome.INSUFFICIENT_SCOPE]: 'Refused: you allowed it to read only.',
  [Outcome.RATE_LIMITED]: 'Put off: it asked too often within a minute.',
  [Outcome.FAILED]: 'It failed on our side.',
  [Outcome.UNAUTHENTICATED]: 'Refused: its access had ended.',
  [Outcome.UNSPECIFIED]: 'It is not known how this ended.',
  [Outcome.UNRECOGNIZED]: 'It is not known how this ended.',
}
