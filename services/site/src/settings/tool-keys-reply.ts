import { newId } from '@family-inbox/service-kit/ids'
import type { Context } from '../context.ts'
import type { Household } from '../household.ts'
import type { Reply } from '../http/reply.ts'
import type { Visit } from '../http/visit.ts'
import { toolKeysPage } from '../pages/settings/tool-keys.ts'
import type { FieldErrors } from '../parts/field.ts'
import { asPerson } from '../session.ts'

export type ToolKeyForm = { values: { name: string }; errors: FieldErrors }

const PAGE_SIZE = 100

/** Draws the reader's keys as they are now; also after the form was refused, with what was typed and what is wrong. */
export async function toolKeysReply(
  ctx: Context,
  visit: Visit,
  household: Household,
  form?: ToolKeyForm,
): Promise<Reply> {
  const pageToken = visit.query('after')
  const request = { pageSize: PAGE_SIZE, pageToken }
  const { keys, nextPageToken } = await ctx.auth.listToolKeys(request, asPerson(household.session, visit))
  const page = toolKeysPage({
    household,
    clock: visit.clock,
    keys,
    nextPageToken,
    isFirstPage: pageToken === '',
    requestId: newId('req'),
    ...(form ?? { values: { name: visit.kept('name') }, errors: {} }),
  })
  return { page, status: form ? 422 : 200 }
}
