import { createHash } from 'node:crypto'
import type { LinkSubjectRequest, LinkSubjectResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'
import { requirePartnerOf, requireSubject } from '../partners.ts'

type Subject = Pick<Link, 'institutionId' | 'subjectRef'>

/** Links with sharing off. A retry with the same code and subject succeeds until that link is purged. */
export function linkSubject(ctx: Context): Handler<LinkSubjectRequest, LinkSubjectResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const subject = requireSubject(request)
    const partner = await requirePartnerOf(ctx, subject.institutionId)
    if (await ctx.links.exists({ ...subject, live: true })) throw alreadyLinked()
    const redemptionId = await redemptionOf(ctx, subject)
    const { workspaceId, lovedOneId } = await ctx.careCircle.redeemProviderCode(
      { code: request.providerCode, redemptionId },
      { deadline: call.deadline },
    )
    const _id = newId('link')
    const owner = { partnerId: partner._id, workspaceId, lovedOneId }
    await insertLink(ctx, { _id, ...subject, ...owner, shared: false, live: true, linkedAt: new Date() })
    return { linkId: _id }
  }
}

/** Includes the number of purged links, so that a code cannot be reused after a purge. */
async function redemptionOf(ctx: Context, subject: Subject): Promise<string> {
  const purged = await ctx.links.countDocuments({ ...subject, purgedAt: { $exists: true } })
  const { institutionId, subjectRef } = subject
  return createHash('sha256')
    .update(JSON.stringify([institutionId, subjectRef, purged]))
    .digest('hex')
}

async function insertLink(ctx: Context, link: Link): Promise<void> {
  try {
    await ctx.links.insertOne(link)
  } catch (error) {
    if (isDuplicateKey(error)) throw alreadyLinked()
    throw error
  }
}

function alreadyLinked(): StatusError {
  return new StatusError(
    'ALREADY_EXISTS',
    'This subject is already linked. Purge it before you link it to someone else.',
    {
      field: 'subject_ref',
    },
  )
}
