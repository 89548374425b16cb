import type { SetPartnerActiveRequest, SetPartnerActiveResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Partner } from '../models/partner.ts'
import { partnerNotFound, readPastDate, requirePartner, toWirePartner } from '../partners.ts'

/** SPEC "Onboarding prerequisites for partners". */
export function setPartnerActive(ctx: Context): Handler<SetPartnerActiveRequest, SetPartnerActiveResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const { institutionId, active, signedTimestampRequired } = request
    const known = await requirePartner(ctx, institutionId)
    const dates = readDates(request, known)
    if (active) requireBoth(dates)
    const strictness = signedTimestampRequired === undefined ? {} : { signedTimestampRequired }
    const partner = await ctx.partners
      .findByIdAndUpdate(institutionId, { $set: { active, ...dates, ...strictness } }, { returnDocument: 'after' })
      .lean<Partner>()
    if (partner === null) throw partnerNotFound()
    return { partner: toWirePartner(partner) }
  }
}

type Dates = Pick<Partner, 'agreementDate' | 'reviewDate'>

function readDates({ agreementDate, reviewDate }: SetPartnerActiveRequest, known: Dates): Dates {
  const now = new Date()
  return {
    agreementDate: readPastDate('agreement', agreementDate, now) ?? known.agreementDate,
    reviewDate: readPastDate('review', reviewDate, now) ?? known.reviewDate,
  }
}

function requireBoth({ agreementDate, reviewDate }: Dates): void {
  const missing = [
    ...(agreementDate === undefined ? ['the date of the signed business associate agreement (--agreement)'] : []),
    ...(reviewDate === undefined ? ['the date of the passed security review (--review)'] : []),
  ]
  if (missing.length > 0)
    throw new StatusError('FAILED_PRECONDITION', `To activate this partner, add ${missing.join(' and ')}.`)
}
