import { AsidePlace, type MessageAside as WireAside } from '@family-inbox/proto/inbox/v1/inbox'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { publicIdOf } from '../models/message.ts'
import type { MessageAside, Place } from '../models/message-aside.ts'

const PLACES: Record<Place, AsidePlace> = { junk: AsidePlace.JUNK, deleted: AsidePlace.DELETED }

/** Of a message, what its row in the list shows. */
export const ASIDE_FIELDS = {
  lovedOneId: 1,
  place: 1,
  messages: 1,
  movedAt: 1,
  movedBy: 1,
  purgeAt: 1,
  'message.from': 1,
  'message.subject': 1,
  'message.preview': 1,
  'message.receivedAt': 1,
} as const

export type AsideRow = Pick<
  MessageAside,
  '_id' | 'lovedOneId' | 'place' | 'messages' | 'movedAt' | 'movedBy' | 'purgeAt'
> & { message: Pick<MessageAside['message'], 'from' | 'subject' | 'preview' | 'receivedAt'> }

export function toWireAside(row: AsideRow): WireAside {
  const { lovedOneId, place, messages = 1, movedAt, movedBy, purgeAt, message } = row
  return {
    id: publicIdOf(row),
    lovedOneId,
    place: PLACES[place],
    sender: message.from,
    subject: message.subject,
    preview: message.preview,
    receivedAt: message.receivedAt,
    movedBy: movedBy?.name ?? '',
    movedAt,
    purgeAt,
    messages,
  }
}

/** @throws StatusError INVALID_ARGUMENT */
export function requirePlace(wire: AsidePlace): Place {
  const known = (Object.keys(PLACES) as Place[]).find((place) => PLACES[place] === wire)
  if (known === undefined) throw invalidArgument('place', 'place must be Junk or Deleted.')
  return known
}
