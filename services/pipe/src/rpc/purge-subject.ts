import type { PurgeSubjectRequest, PurgeSubjectResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'
import { requireSubject, subjectNotFound } from '../partners.ts'
import { purgeLink, tombstoneLink } from '../purge.ts'

/** The sweeper finishes the purge if this call fails. */
export function purgeSubject(ctx: Context): Handler<PurgeSubjectRequest, PurgeSubjectResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const subject = requireSubject(request)
    const link = (await tombstoneLink(ctx, subject)) ?? (await latestPurged(ctx, subject))
    if (link === null) throw subjectNotFound()
    return { eventsDeleted: await purgeLink(ctx, link) }
  }
}

type Subject = Pick<Link, 'institutionId' | 'subjectRef'>

function latestPurged(ctx: Context, subject: Subject): Promise<Link | null> {
  return ctx.links
    .findOne({ ...subject, purgedAt: { $exists: true } })
    .sort({ purgedAt: -1 })
    .lean<Link>()
}
