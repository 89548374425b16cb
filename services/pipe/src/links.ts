import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'
import { isName } from './envelope/read-envelope.ts'
import { isInstitutionId, partnerNamesFor } from './ingest/institution-id.ts'
import type { Partner } from './models/partner.ts'
import { partnerNotFound } from './partners.ts'

const MAX_SUBJECT_REF = 200

/** @throws StatusError INVALID_ARGUMENT */
export function requireSubject({ institutionId, subjectRef }: { institutionId: string; subjectRef: string }) {
  if (!isInstitutionId(institutionId)) throw invalidArgument('institution_id', INVALID_INSTITUTION_ID)
  if (!isName(subjectRef, MAX_SUBJECT_REF))
    throw invalidArgument('subject_ref', `subject_ref must be text of 1 to ${MAX_SUBJECT_REF} characters, on one line.`)
  return { institutionId, subjectRef }
}

/**
 * Finds the partner that may use an institution id.
 * @throws StatusError NOT_FOUND
 */
export async function requirePartnerOf(ctx: Context, institutionId: string): Promise<Partner> {
  const names = partnerNamesFor(institutionId)
  const partners = await ctx.partners.find({ names: { $in: names } }).lean<Partner[]>()
  const name = names.find((candidate) => partners.some((partner) => partner.names.includes(candidate)))
  const partner = partners.find((candidate) => name !== undefined && candidate.names.includes(name))
  if (partner === undefined) throw partnerNotFound()
  return partner
}

export function subjectNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'This subject is not linked to a loved one.', { field: 'subject_ref' })
}

export const INVALID_INSTITUTION_ID =
  'institution_id must be 1 to 100 letters, digits, dots, hyphens and underscores, such as sunrise-home-care.'
