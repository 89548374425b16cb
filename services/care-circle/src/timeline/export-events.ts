import type { Context } from '../context.ts'
import { BY_TIME, type CareEvent } from '../models/care-event.ts'

/**
 * A household's events as its members may read them now, newest first: of agencies that share, asked here and now, with the
 * agency's name in the place of the link.
 * @throws StatusError UNAVAILABLE while the pipe cannot say who shares
 */
export async function exportEvents(ctx: Context, workspaceId: string): Promise<AsyncIterable<ExportedEvent>> {
  const lovedOnes = await ctx.lovedOnes.find({ workspaceId }, { _id: 1 }).lean()
  const answers = await Promise.all(
    lovedOnes.map(({ _id: lovedOneId }) => ctx.pipe.listSharedLinks({ workspaceId, lovedOneId })),
  )
  const links = answers.flatMap((answer) => answer.links)
  const sourceOf = new Map(links.map(({ linkId, institutionName }) => [linkId, institutionName]))
  const rows = ctx.careEvents
    .find({ linkId: { $in: [...sourceOf.keys()] }, workspaceId })
    .sort({ occurredAt: -1, receivedAt: -1, _id: -1 })
    .hint(BY_TIME)
    .lean<CareEvent>()
    .cursor()
  return withSource(rows, sourceOf)
}

type ExportedEvent = Omit<CareEvent, 'linkId'> & { source: string }

async function* withSource(rows: AsyncIterable<CareEvent>, sourceOf: ReadonlyMap<string, string>) {
  for await (const { linkId, ...event } of rows) yield { ...event, source: sourceOf.get(linkId) ?? '' }
}
