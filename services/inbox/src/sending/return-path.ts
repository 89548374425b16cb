import { createHash, createHmac } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { Delivery } from '../models/delivery.ts'
import { addressAt, wholeLocalPart } from '../own-address.ts'

const PREFIX = 'bounces+'
/** 120 bits. Forwarders that rewrite senders (SRS) need the rest of the 64 characters of a local part. */
const TOKEN_CHARS = 30
const TOKEN = /^bounces\+[0-9a-f]{30}$/

/** The secret envelope sender of one mail: only its recipient and the servers on its way can report on it (VERP). */
export function returnPathOf(id: string, config: Pick<Config, 'returnPathKey' | 'mailDomain' | 'mailbox'>): string {
  const token = createHmac('sha256', config.returnPathKey).update(id).digest('hex').slice(0, TOKEN_CHARS)
  return addressAt(config, `${PREFIX}${token}`)
}

/** The stored form: a copy of the database is not enough to report. */
export function returnPathHash(returnPath: string): string {
  const local = returnPath.slice(0, returnPath.lastIndexOf('@')).toLowerCase()
  // Without the mailbox before it, so that reports are known after that setting changes.
  return createHash('sha256')
    .update(local.slice(local.lastIndexOf(PREFIX)))
    .digest('hex')
}

/** The mail that has this return path; undefined for any other address. */
export async function findReturned(ctx: Context, recipient: string): Promise<Delivery | undefined> {
  const local = wholeLocalPart(recipient, ctx.config)
  if (local === undefined || !TOKEN.test(local)) return undefined
  const found = await ctx.deliveries.findOne({ returnPathHash: returnPathHash(`${local}@`) }).lean()
  return found ?? undefined
}
