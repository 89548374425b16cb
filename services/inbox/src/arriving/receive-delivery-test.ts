import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import type { Context } from '../context.ts'
import type { DeliveryTest } from '../models/delivery-test.ts'
import { addressAt, type MailPlace, wholeLocalPart } from '../own-address.ts'
import type { ReportMail } from './receive-feedback.ts'
import { refusals } from './refusals.ts'

const ADDRESS = /^test\+([0-9a-z]{26})$/
/** These checks take turns with those of families. */
const TESTS = 'delivery tests'

/** An address that only this test has. */
export function deliveryTestAddress(id: string, place: MailPlace): string {
  return addressAt(place, id.replace('tst_', 'test+'))
}

/** The test that has this address; undefined for any other. */
export async function findDeliveryTest(ctx: Context, recipient: string): Promise<DeliveryTest | undefined> {
  const [, secret] = ADDRESS.exec(wholeLocalPart(recipient, ctx.config) ?? '') ?? []
  if (secret === undefined) return undefined
  return (await ctx.deliveryTests.findById(`tst_${secret}`).lean()) ?? undefined
}

/** Keeps what receivers see of our mail, and nothing else of it. @throws Refusal for any other mail to that address */
export async function receiveDeliveryTest(
  ctx: Context,
  { _id, messageIdHeader }: DeliveryTest,
  { raw, envelope }: Pick<ReportMail, 'raw' | 'envelope'>,
  { messageId }: ParsedMessage,
): Promise<void> {
  if (messageId !== messageIdHeader) throw refusals.reportsOnly()
  // The check transfers its bytes to a thread.
  const { spf, dkim, dmarc } = await ctx.authenticator.authenticate(TESTS, new Uint8Array(raw), envelope)
  const seen = { peer: envelope.peer, spf, dkim, dmarc }
  await ctx.deliveryTests.updateOne({ _id, arrivedAt: null }, { $set: { arrivedAt: new Date(), seen } })
}
