import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import { type Counted, describeDone, times } from '@family-inbox/workspace-kit/describe-done'
import { ACTS, type ActName } from '@family-inbox/workspace-kit/people-acts'
import type { ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
import { listWords } from '../shell/parts.ts'
import { ACT_WORDS } from './people-words.ts'

/** Completes a sentence about a day of an assistant or a person: "sent a reply, read 14 messages and had 1 call refused". */
export function summaryOf(counts: readonly Counted[]): string {
  const known = [...Object.keys(TOOLS), ...ACTS].reverse()
  const done = [...known, 'unknown'].flatMap((tool) => {
    const ofTool = counts.filter((count) => (known.includes(count.tool) ? count.tool : 'unknown') === tool)
    return [Outcome.OK, Outcome.APPROVAL_ASKED].map((outcome) => {
      const ended = ofTool.filter((count) => count.outcome === outcome)
      return ended.length > 0 && describeEnded({ tool, outcome, ...sumOf(ended) })
    })
  })
  const others = OTHER_ENDS.map(([outcomes, words]) => {
    const { calls } = sumOf(counts.filter(({ outcome }) => outcomes.includes(outcome)))
    return calls > 0 && words(calls)
  })
  return listWords([...done, ...others].filter((one) => one !== false))
}

/** Completes a sentence about what an assistant or a person did: `read 3 messages`. */
export function describeEnded(count: Counted): string {
  if (!Object.hasOwn(ACT_WORDS, count.tool)) return describeDone(count)
  const { done, countsMessages } = ACT_WORDS[count.tool as ActName]
  return done(countsMessages ? count.messages : count.calls)
}

function sumOf(counts: readonly Counted[]): Pick<Counted, 'calls' | 'messages'> {
  const sum = (key: 'calls' | 'messages') => counts.reduce((total, one) => total + one[key], 0)
  return { calls: sum('calls'), messages: sum('messages') }
}

export const TOOLS: Readonly<Record<ToolName, { label: string; todo: string }>> = {
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

/** Completes a sentence about calls that were refused: `tried to read a message twice`. */
export function describeTried(tool: string, calls: number): string {
  const todo = Object.hasOwn(TOOLS, tool) ? TOOLS[tool as ToolName].todo : 'call an unknown tool'
  return `tried to ${todo}${calls > 1 ? ` ${times(calls)}` : ''}`
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
  [
    [Outcome.CONFIRMATION_ASKED],
    (calls) => (calls === 1 ? 'asked for a confirmation' : `asked for a confirmation ${times(calls)}`),
  ],
  [
    [Outcome.REFUSED, Outcome.INSUFFICIENT_SCOPE, Outcome.RATE_LIMITED, Outcome.UNAUTHENTICATED],
    (calls) => `had ${callsOf(calls)} refused`,
  ],
  [[Outcome.FAILED], (calls) => `had ${callsOf(calls)} fail`],
  [[Outcome.UNSPECIFIED, Outcome.UNRECOGNIZED], (calls) => `made ${callsOf(calls)} with an unknown result`],
]
