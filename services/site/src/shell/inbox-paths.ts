import { withQuery } from './parts.ts'
import type { Visit } from './visit.ts'

type MessageIds = { lovedOneId: string; messageId: string }

/** The message in the address of a request. */
export function messageIdsOf(visit: Visit): MessageIds {
  return { lovedOneId: visit.id('lovedOneId'), messageId: visit.id('messageId') }
}

export function messagePath({ lovedOneId, messageId }: MessageIds): string {
  return `/inbox/${encodeURIComponent(lovedOneId)}/${encodeURIComponent(messageId)}`
}

export function inboxPath(lovedOne: { id: string } | undefined): string {
  return lovedOne ? `/inbox/${lovedOne.id}` : '/'
}

/** What comes next. */
export function nextPath(lovedOne: { id: string } | undefined): string {
  return withQuery('/inbox/next', { for: lovedOne?.id })
}
