import { type AuditCount, Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
import { listWords } from './settings-page.ts'

export type Counted = Pick<AuditCount, 'tool' | 'outcome' | 'calls' | 'messages'>

/** Completes a sentence about an assistant's day: "sent a reply, read 14 messages and had 1 call refused". */
export function summaryOf(counts: readonly Counted[]): string {
  const known = Object.keys(TOOLS).reverse()
  const done = [...known, 'unknown'].flatMap((tool) => {
    const ofTool = counts.filter((one) => (Object.hasOwn(TOOLS, one.tool) ? one.tool : 'unknown') === tool)
    const { did, proposed = did, countsMessages } = wordsFor(tool)
    const [ok, waiting] = [sumOf(ofTool, [Outcome.OK], countsMessages), sumOf(ofTool, [Outcome.APPROVAL_ASKED])]
    return [ok > 0 && did(ok), waiting > 0 && proposed(waiting)]
  })
  const others = OTHER_ENDS.map(([outcomes, words]) => {
    const calls = sumOf(counts, outcomes)
    return calls > 0 && words(calls)
  })
  return listWords([...done, ...others].filter((one) => one !== false))
}

function sumOf(counts: readonly Counted[], outcomes: readonly Outcome[], ofMessages = false): number {
  const ended = counts.filter(({ outcome }) => outcomes.includes(outcome))
  return ended.reduce((sum, { calls, messages }) => sum + (ofMessages ? messages : calls), 0)
}

type Words = {
  did: (count: number) => string
  todo: string
  /** For what waits for approval. */
  proposed?: (count: number) => string
  /** Reading a message again is no more messages. */
  countsMessages?: true
}

const repeated = (text: string) => (count: number) => (count === 1 ? text : `${text} ${times(count)}`)
const counted = (verb: string, one: string, many: string) => (count: number) =>
  count === 1 ? `${verb} ${one}` : `${verb} ${count} ${many}`

export function times(count: number): string {
  return count === 2 ? 'twice' : `${count} times`
}

export const TOOLS: Readonly<Record<ToolName, Words & { label: string }>> = {
  ping: { label: 'Checking the connection', did: repeated('checked its connection'), todo: 'check its connection' },
  get_user_profile: {
    label: 'Reading your profile',
    did: repeated('read your profile'),
    todo: 'read your profile',
  },
  list_loved_ones: {
    label: 'Listing loved ones',
    did: repeated('listed your loved ones'),
    todo: 'list your loved ones',
  },
  list_family_members: {
    label: 'Listing the care circle',
    did: repeated('listed the care circle'),
    todo: 'list the care circle',
  },
  list_inbox_messages: {
    label: 'Looking through the inbox',
    did: repeated('looked through the inbox'),
    todo: 'look through the inbox',
  },
  get_inbox_message: {
    label: 'Reading messages',
    did: counted('read', 'a message', 'messages'),
    todo: 'read a message',
    countsMessages: true,
  },
  list_care_events: { label: 'Reading the timeline', did: repeated('read the timeline'), todo: 'read the timeline' },
  invite_family_member: {
    label: 'Inviting people',
    did: counted('invited', 'a person', 'people'),
    todo: 'invite a person',
    proposed: counted('proposed', 'an invitation', 'invitations'),
  },
  create_provider_code: {
    label: 'Creating codes for agencies',
    did: counted('created', 'a code for an agency', 'codes for agencies'),
    todo: 'create a code for an agency',
  },
  reply_to_inbox_message: {
    label: 'Sending replies',
    did: counted('sent', 'a reply', 'replies'),
    todo: 'send a reply',
    proposed: counted('proposed', 'a reply', 'replies'),
  },
}

export function wordsFor(tool: string): Words {
  return Object.hasOwn(TOOLS, tool) ? TOOLS[tool as ToolName] : UNKNOWN_TOOL
}

const UNKNOWN_TOOL: Words = {
  did: repeated('called an unknown tool'),
  todo: 'call an unknown tool',
}

/** Why a call did nothing; undefined if it did. */
export const REFUSALS: Record<Outcome, string | undefined> = {
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

const callsOf = (count: number) => (count === 1 ? '1 call' : `${count} calls`)

/** Acts come first in a sentence, then what was read, then what was not done. */
const OTHER_ENDS: readonly [Outcome[], (calls: number) => string][] = [
  [[Outcome.CONFIRMATION_ASKED], repeated('asked for a confirmation')],
  [
    [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.UNAUTHENTICATED],
    (calls) => `had ${callsOf(calls)} refused`,
  ],
  [[Outcome.FAILED], (calls) => `had ${callsOf(calls)} fail`],
  [[Outcome.UNSPECIFIED, Outcome.UNRECOGNIZED], (calls) => `made ${callsOf(calls)} with an unknown result`],
]
