import { type Rearrangement, RearrangementKind } from '@family-inbox/proto/inbox/v1/inbox'
import type { Message } from '../models/message.ts'
import type { Rearranged } from '../models/rearranged.ts'

const KINDS: Record<Rearranged['kind'], RearrangementKind> = {
  moved: RearrangementKind.MOVED,
  joined: RearrangementKind.JOINED,
  taken_out: RearrangementKind.TAKEN_OUT,
}

/** What members did with these messages, oldest first. One act concerns several of them. */
export function toRearrangements(rows: Pick<Message, 'rearranged'>[]): Rearrangement[] {
  const acts = new Map(rows.flatMap(({ rearranged = [] }) => rearranged.map((act) => [act.id, act])))
  return [...acts.values()]
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ kind, from = '', ...act }) => ({
      id: act.id,
      kind: KINDS[kind],
      personId: act.personId,
      name: act.name,
      at: act.at,
      messageId: act.messageId,
      fromLovedOneId: from,
    }))
}
