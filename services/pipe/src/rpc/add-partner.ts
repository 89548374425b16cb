import type { AddPartnerRequest, AddPartnerResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { newSecret } from '../change-secrets.ts'
import type { Context } from '../context.ts'
import type { Partner } from '../models/partner.ts'
import { INVALID_INSTITUTION_ID, isInstitutionId, readPastDate, toWirePartner } from '../partners.ts'

const MAX_NAMESPACES = 50

/** The first secret is in this response and nowhere else. */
export function addPartner(ctx: Context): Handler<AddPartnerRequest, AddPartnerResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const now = new Date()
    const described = readPartner(request, now)
    const { secret, row } = newSecret(ctx.secretBox, described, now)
    const partner = { ...described, active: false, secrets: [row], secretsRevision: 0, createdAt: now }
    await insertPartner(ctx, partner)
    return { partner: toWirePartner(partner), secret, secretId: row.id }
  }
}

function readPartner(request: AddPartnerRequest, now: Date) {
  const { institutionId: _id } = request
  if (!isInstitutionId(_id)) throw invalidArgument('institution_id', INVALID_INSTITUTION_ID)
  const namespaces = [...new Set(request.namespaces.map(readNamespace))]
  if (namespaces.length > MAX_NAMESPACES)
    throw invalidArgument('namespace', `A partner can have at most ${MAX_NAMESPACES} namespaces.`)
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
    throw invalidArgument('namespace', 'A namespace is a prefix that ends in a dot, such as sunrise.')
  return `${name}.`
}

async function insertPartner(ctx: Context, partner: Partner): Promise<void> {
  try {
    await ctx.partners.insertOne(partner)
  } catch (error) {
    if (isDuplicateKey(error))
      throw new StatusError('ALREADY_EXISTS', 'A partner with this institution id or namespace already exists.', {
        field: 'institution_id',
      })
    throw error
  }
}
