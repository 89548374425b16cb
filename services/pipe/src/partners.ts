import type { Partner as WirePartner } from '@family-inbox/proto/pipe/v1/pipe'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'
import { isName } from './envelope/read-envelope.ts'
import type { Partner } from './models/partner.ts'

const MAX_SUBJECT_REF = 200
const INSTITUTION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/
export const INVALID_INSTITUTION_ID =
  'institution_id must be 1 to 100 letters, digits, dots, hyphens and underscores, such as sunrise-home-care.'

export async function requirePartner(ctx: Context, institutionId: string): Promise<Partner> {
  const partner = await ctx.partners.findById(institutionId).lean<Partner>()
  if (partner === null) throw partnerNotFound()
  return partner
}

export function partnerNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no partner with this institution id.', { field: 'institution_id' })
}

export function toWirePartner(partner: Partner): WirePartner {
  const { _id, name, active, agreementDate = '', reviewDate = '', namespaces, createdAt } = partner
  const signedTimestampRequired = partner.signedTimestampRequired ?? false
  return { institutionId: _id, name, active, agreementDate, reviewDate, namespaces, createdAt, signedTimestampRequired }
}

/** Such as 2026-05-12; undefined when empty. @throws StatusError INVALID_ARGUMENT */
export function readPastDate(field: string, text: string, now: Date): string | undefined {
  if (text === '') return undefined
  const date = new Date(`${text}T00:00:00Z`)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  if (!isDate) throw invalidArgument(field, `${field} must be a date such as 2026-05-12.`)
  // East of Greenwich a day begins up to 14 hours earlier.
  if (date.getTime() > now.getTime() + 14 * 60 * 60 * 1000) throw invalidArgument(field, `${field} is in the future.`)
  return text
}

export function requireSubject({ institutionId, subjectRef }: { institutionId: string; subjectRef: string }) {
  if (!isInstitutionId(institutionId)) throw invalidArgument('institution_id', INVALID_INSTITUTION_ID)
  if (!isName(subjectRef, MAX_SUBJECT_REF))
    throw invalidArgument('subject_ref', `subject_ref must be text of 1 to ${MAX_SUBJECT_REF} characters, on one line.`)
  return { institutionId, subjectRef }
}

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

export function isInstitutionId(text: string): boolean {
  return INSTITUTION_ID.test(text)
}

/** `sunrise.north.2` gives itself, `sunrise.north.` and `sunrise.`. */
export function partnerNamesFor(institutionId: string): string[] {
  const parts = institutionId.split('.')
  const namespaces = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.`)
  return [institutionId, ...namespaces.reverse()]
}
