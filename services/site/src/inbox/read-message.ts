import type { OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import type { LovedOne, Workspace } from '../shell/workspace.ts'

/** A message as its page shows it. */
export type OpenMessage = {
  lovedOne: LovedOne
  message: OpenMessageResponse & { message: NonNullable<OpenMessageResponse['message']> }
  /** The names of those who have opened it, and when. */
  readBy: { name: string; at: Date | undefined }[]
  /** As whom a reply of the reader’s is sent. */
  ownName: string
}

/**
 * Reads the message a page's address names, and notes that it is read.
 * @returns undefined for one that is not there, alike whether it never was or is another family's
 */
export async function readMessage(ctx: Context, visit: Visit, workspace: Workspace): Promise<OpenMessage | undefined> {
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === visit.param('lovedOneId'))
  if (lovedOne === undefined) return undefined
  const person = asPerson(workspace.session, visit)
  const request = { lovedOneId: lovedOne.id, messageId: visit.param('messageId').slice(0, 128), markRead: true }
  const [answer, { members }, { name }] = await Promise.all([
    ctx.inbox.openMessage(request, person).catch(undefinedIfMissing),
    ctx.careCircle.listMembers({}, person),
    ctx.careCircle.getProfile({}, person),
  ])
  if (answer?.message === undefined) return undefined
  const nameOf = new Map(members.map(({ personId, name }) => [personId, name]))
  return {
    lovedOne,
    message: { ...answer, message: answer.message },
    readBy: answer.readBy.map(({ personId, readAt }) => ({
      name: nameOf.get(personId) ?? 'Somebody who has left',
      at: readAt,
    })),
    ownName: name,
  }
}

/** What a message that is not there is answered with. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.status === 'NOT_FOUND') return undefined
  throw error
}
