import type { OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { messagePage } from '../shell/page.ts'
import { asPerson, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { type LovedOne, undefinedIfMissing, type Workspace } from '../shell/workspace.ts'

export type OpenMessage = {
  lovedOne: LovedOne
  message: OpenMessageResponse & { message: NonNullable<OpenMessageResponse['message']> }
  readBy: { name: string; at: Date | undefined }[]
  /** Names of other members who are writing a reply. */
  writers: string[]
}

/** Reads a message and marks it as read; undefined for an unknown one and for another workspace's. */
export async function readMessage(ctx: Context, visit: Visit, workspace: Workspace): Promise<OpenMessage | undefined> {
  const lovedOne = workspace.lovedOnes.find(({ id }) => id === visit.id('lovedOneId'))
  if (lovedOne === undefined) return undefined
  const person = asPerson(workspace.session, visit)
  const request = { lovedOneId: lovedOne.id, messageId: visit.id('messageId'), markRead: true }
  const opened = await ctx.inbox.openMessage(request, person).catch(undefinedIfMissing)
  if (opened?.message === undefined) return undefined
  const { nameOf } = workspace
  return {
    lovedOne,
    message: { ...opened, message: opened.message },
    readBy: opened.readBy.map(({ personId, readAt }) => ({
      name: nameOf.get(personId) ?? 'Former member',
      at: readAt,
    })),
    writers: opened.writerIds.map((id) => nameOf.get(id) ?? 'Someone'),
  }
}

/** The same for an unknown message and for another workspace's. */
export function messageMissing({ session }: Workspace): Reply {
  const page = messagePage({
    title: 'Message not found',
    lines: [
      'The address may be wrong, or the message may be in another inbox of yours.',
      'Nothing was lost. Look for it in the inbox.',
    ],
    next: { label: 'Go to inbox', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}
