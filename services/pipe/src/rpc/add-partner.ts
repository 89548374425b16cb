import type { AddPartnerRequest, AddPartnerResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import { isInstitutionId } from '../ingest/institution-id.ts'
import { NO_INSTITUTION_ID } from '../links.ts'
import type { Partner } from '../models/partner.ts'
import { readPastDate, toWirePartner } from '../partners.ts'
import { newSecret } from '../secrets/change-secrets.ts'

const MOST_NAMESPACES = 50

/** Takes a partner on, inactive, with its first secret: shown in this answer and nowhere else. */
export function addPartner(ctx: Context): Handler<AddPartnerRequest, AddPartnerResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const now = new Date()
    const described = readPartner(request, now)
    const { secret, row } = newSecret(ctx.secretBox, described, now)
    const partner = { ...described, active: false, secrets: [row], secretsRevision: 0, createdAt: now }
    await insertNew(ctx, partner)
    return { partner: toWirePartner(partner), secret, secretId: row.id }
  }
}

function readPartner(request: AddPartnerRequest, now: Date) {
  const { institutionId: _id } = request
  if (!isInstitutionId(_id)) throw invalidArgument('institution_id', NO_INSTITUTION_ID)
  const namespaces = [...new Set(request.namespaces.map(readNamespace))]
  if (namespaces.length > MOST_NAMESPACES) throw invalidArgument('namespace', `${MOST_NAMESPACES} namespaces at most.`)
  return {
    _id,
    name: requireLine('name', request.name, 120),
    agreementDate: readPastDate('agreement', request.agreementDate, now),
    reviewDate: readPastDate('review', request.reviewDate, now),
    namespaces,
    names: [_id, ...namespaces],
    signedTimestampRequired: request.signedTimestampRequired ?? false,
  }
}

function readNamespace(text: string): string {
  const name = text.replace(/\.$/, '')
  if (!isInstitutionId(name))
    throw invalidArgument('namespace', 'A namespace is a prefix such as sunrise. (with its dot).')
  return `${name}.`
}

async function insertNew(ctx: Context, partner: Partner): Promise<void> {
  try {
    await ctx.partners.insertOne(partner)
  } catch (error) {
    if (isDuplicateKey(error))
      throw new StatusError('ALREADY_EXISTS', 'There is a partner with this institution id or namespace already.', {
        field: 'institution_id',
      })
    throw error
  }
}
