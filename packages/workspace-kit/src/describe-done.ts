import { type AuditCount, Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { ToolName } from './tool-catalogue.ts'

export type Counted = Pick<AuditCount, 'tool' | 'outcome' | 'calls' | 'messages'>

/** Completes a sentence about an assistant: `read 3 messages`. */
export function describeDone({ tool, outcome, calls, messages }: Counted): string {
  const words = Object.hasOwn(DONE, tool) ? DONE[tool as ToolName] : UNKNOWN
  const { done, proposed = done, countsMessages } = words
  return (outcome === Outcome.APPROVAL_ASKED ? proposed : done)(countsMessages ? messages : calls)
}

type Words = {
  done: (count: number) => string
  /** When it waits for approval. */
  proposed?: (count: number) => string
  /** Reading a message again is no more messages. */
  countsMessages?: true
}

export const repeated = (text: string) => (count: number) => (count === 1 ? text : `${text} ${times(count)}`)
export const counted = (verb: string, one: string, many: string) => (count: number) =>
  count === 1 ? `${verb} ${one}` : `${verb} ${count} ${many}`

export function times(count: number): string {
  return count === 2 ? 'twice' : `${count} times`
}

const DONE: Readonly<Record<ToolName, Words>> = {
  ping: { done: repeated('checked its connection') },
  get_user_profile: { done: repeated('read your profile') },
  list_loved_ones: { done: repeated('listed your loved ones') },
  list_family_members: { done: repeated('listed the care circle') },
  list_inbox_messages: { done: repeated('looked through the inbox') },
  get_inbox_message: { done: counted('read', 'a message', 'messages'), countsMessages: true },
  list_care_events: { done: repeated('read the timeline') },
  invite_family_member: {
    done: counted('invited', 'a person', 'people'),
    proposed: counted('proposed', 'an invitation', 'invitations'),
  },
  create_provider_code: { done: counted('created', 'a code for an agency', 'codes for agencies') },
  reply_to_inbox_message: {
    done: counted('sent', 'a reply', 'replies'),
    proposed: counted('proposed', 'a reply', 'replies'),
  },
}

const UNKNOWN: Words = { done: repeated('called an unknown tool') }
