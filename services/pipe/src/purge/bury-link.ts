import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'

type Whose = Pick<Link, 'institutionId' | 'subjectRef'> | Pick<Link, 'workspaceId'>

/** Makes one live link a tombstone: from then on nothing is taken, shown or put on a timeline. `null` when none is live. */
export function buryLink(ctx: Context, whose: Whose): Promise<Link | null> {
  const now = new Date()
  return ctx.links
    .findOneAndUpdate(
      { ...whose, live: true },
      { $set: { shared: false, purgedAt: now, purgeDueAt: now }, $unset: { live: 1 } },
      { returnDocument: 'after' },
    )
    .lean<Link>()
}
