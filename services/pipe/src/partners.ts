import type { Partner as WirePartner } from '@family-inbox/proto/pipe/v1/pipe'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from './context.ts'
import type { Partner } from './models/partner.ts'

/** @throws StatusError NOT_FOUND */
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

/**
 * Parses a past date such as 2026-05-12; undefined when empty.
 * @throws StatusError INVALID_ARGUMENT for an invalid or future date
 */
export function readPastDate(field: string, text: string, now: Date): string | undefined {
  if (text === '') return undefined
  const date = new Date(`${text}T00:00:00Z`)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  if (!isDate) throw invalidArgument(field, `${field} must be a date such as 2026-05-12.`)
  // East of Greenwich a day begins up to 14 hours earlier.
  if (date.getTime() > now.getTime() + 14 * 60 * 60 * 1000) throw invalidArgument(field, `${field} is in the future.`)
  return text
}
