import type { OpenMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'
import type { Context } from '../context.ts'
import { asPerson } from '../shell/session.ts'
import type { Visit } from '../shell/visit.ts'
import { undefinedIfMissing, type Workspace } from '../shell/workspace.ts'
import { findPlace } from './find-place.ts'

/** What the form for an appointment takes from a letter; each is empty if the letter does not say it. */
export type Letter = { title: string; place: string; writer: string }

const NO_LETTER: Letter = { title: '', place: '', writer: '' }

/** The mail is read again, since what it says does not belong in an address. */
export async function readLetter(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
  ids: { lovedOneId: string; messageId: string },
): Promise<Letter> {
  if (ids.messageId === '') return NO_LETTER
  const request = { ...ids, markRead: false }
  const opened = await ctx.inbox.openMessage(request, asPerson(session, visit)).catch(undefinedIfMissing)
  return opened ? toLetter(opened) : NO_LETTER
}

/** A letter that names no place is from one: its writer's. */
function toLetter({ message, body }: OpenMessageResponse): Letter {
  const mailbox = message?.originalSender ?? message?.sender
  const writer = mailbox ? nameOfSender(mailbox) || mailbox.address : ''
  const place = findPlace(body) || (mailbox ? nameOfSender(mailbox) : '')
  return { title: message?.subject.slice(0, 200) ?? '', place: place.slice(0, 300), writer }
}
