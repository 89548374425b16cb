import { count } from '@family-inbox/service-kit/observability/metrics'
import { isRefusal, type Refusal } from './refusals.ts'

const TRY_LATER = 451

export const mailsArrived = count({
  name: 'mail_arrived_total',
  help: 'Mails that arrived, by SMTP or LMTP: accepted, refused because of the mail or a limit, or deferred because of us.',
  labels: ['outcome'],
  zero: [{ outcome: 'accepted' }, { outcome: 'refused' }, { outcome: 'deferred' }],
})

/** Counts what became of a mail, unless the client left. One that was accepted can be read from then on. */
export async function observeMail<T>(received: Promise<T>): Promise<T> {
  try {
    const result = await received
    // LMTP has a reply for each recipient.
    const isDeferred = Array.isArray(result) && result.some(isTryLater)
    mailsArrived.inc({ outcome: isDeferred ? 'deferred' : 'accepted' })
    return result
  } catch (error) {
    if (isRefusal(error)) mailsArrived.inc({ outcome: isTryLater(error) ? 'deferred' : 'refused' })
    throw error
  }
}

/** A sender that is asked at RCPT to try later sends no mail that could be counted. */
export async function observeRecipient<T>(found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (!isRefusal(error) || isTryLater(error)) mailsArrived.inc({ outcome: 'deferred' })
    throw error
  }
}

function isTryLater(refusal: Refusal | undefined): boolean {
  return refusal?.responseCode === TRY_LATER
}
