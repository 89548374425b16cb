import type { Readable } from 'node:stream'
import { createFairGate } from '@family-inbox/service-kit/lifecycle/fair-gate'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'
import type { SendMailOptions } from 'nodemailer'
import DKIM from 'nodemailer/lib/dkim/index.js'
import type { Config } from '../config.ts'

/** Those that nodemailer signs by default and that our mail can have, and what one-click unsubscribe asks for (RFC 8058 section 4). */
const SIGNED_FIELDS = [
  'From',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'To',
  'Cc',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'In-Reply-To',
  'References',
  'Auto-Submitted',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':')

/** A signed mail is in memory as a whole, since its signature comes first. So those with files take turns. */
const inTurn = createFairGate({ slots: 2, slotsPerOwner: 2 })

export type SignMail = {
  sign(source: Readable): Readable
  /** Waits for its turn if the mail may be large. */
  inTurn<T>(mail: SendMailOptions, work: () => Promise<T>): Promise<T>
}

/** Signs mail for the domain of From (RFC 6376), so that DMARC counts the signature. Does nothing without a selector. */
export function createSignMail({ dkim, senderAddress }: Pick<Config, 'dkim' | 'senderAddress'>): SignMail {
  if (dkim === undefined) return { sign: (source) => source, inTurn: (_mail, work) => work() }
  const signer = new DKIM({
    domainName: domainOf(senderAddress),
    keySelector: dkim.selector,
    privateKey: dkim.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    headerFieldNames: SIGNED_FIELDS,
  })
  return {
    sign: (source) => signer.sign(source),
    inTurn: ({ attachments = [] }, work) => (attachments.length === 0 ? work() : inTurn('signed mail', work)),
  }
}
