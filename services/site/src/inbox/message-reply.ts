import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Household } from '../household.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { openMessagePage, type ReplyForm } from '../pages/inbox/open-message.ts'
import { messagePage } from '../pages/message.ts'
import { toViewer } from '../session.ts'
import { readListQuery } from './list-query.ts'
import { readMailList } from './read-list.ts'
import { readMessage } from './read-message.ts'

/** Draws a message as it is now, beside the list it was opened from; also after its reply form was refused. */
export async function messageReply(ctx: Context, visit: Visit, household: Household, form?: ReplyForm): Promise<Reply> {
  const lovedOne = household.lovedOnes.find(({ id }) => id === visit.param('lovedOneId'))
  const query = readListQuery(visit, visit.query('all') === '' ? lovedOne : undefined)
  const open = await readMessage(ctx, visit, household)
  if (open === undefined) return messageMissing(household)
  // After the message, which is read from now on: the list says so.
  const list = await readMailList(ctx, visit, household, query)
  const fresh = { body: '', idempotencyKey: randomUUID(), errors: {} }
  return { page: openMessagePage({ list, open, clock: visit.clock, form: form ?? fresh }), status: form ? 422 : 200 }
}

/** The same whether the message never was, or is another family's. */
export function messageMissing({ session }: Household): Reply {
  const page = messagePage({
    title: 'This message is not here',
    lines: [
      'The address may be mistyped, or belong to another household of yours.',
      'Nothing was lost. Look for the message in the inbox.',
    ],
    next: { label: 'Go to the inbox', href: '/' },
    viewer: toViewer(session),
  })
  return { page, status: 404 }
}
