import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { runIncoming } from '@family-inbox/service-kit/observability/spans'
import { NO_TRACE_CONTEXT } from '@family-inbox/service-kit/observability/trace-context'
import type { SpanOptions } from '@family-inbox/service-kit/observability/tracing'
import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from 'smtp-server'
import type { Config } from '../config.ts'
import { acceptRecipient, type Recipient } from './accept-recipient.ts'
import { deliver, type IncomingMail } from './deliver.ts'
import { observeMail, observeRecipient } from './mail-metrics.ts'
import { MAX_MAIL_BYTES } from './read-data.ts'
import { createReceiveMail } from './receive-mail.ts'
import { isRefusal, type Refusal, refusals } from './refusals.ts'
import { answer, cutOff, declaredBytes, drain } from './smtp-session.ts'
import type { Arriving } from './store-mail.ts'

const MAIL: SpanOptions = { name: 'LMTP DATA', kind: 'server' }
const SOCKET_MS = 5 * 60_000

/** `undefined`: it is on disk. */
type Outcome = Refusal | undefined

/**
 * LMTP (RFC 2033), for a mail server that exists: it has accepted the mail and keeps it until each recipient has an answer of its
 * own. It is trusted, so its connections are not limited as strangers' are. Undefined unless LMTP_PORT is set.
 */
export async function serveLmtp(ctx: Arriving): Promise<(AsyncDisposable & { port: number }) | undefined> {
  const { lmtp, smtp, mailDomain } = ctx.config
  if (lmtp === undefined) return undefined
  const receiveMail = createReceiveMail(ctx, (mail, recipients) => deliverToEach(ctx, mail, recipients))
  const accepted = new WeakMap<SMTPServerAddress, Recipient>()
  const receiving = new Set<string>()
  const server = new SMTPServer({
    lmtp: true,
    name: mailDomain,
    size: MAX_MAIL_BYTES,
    maxRecipients: 50,
    maxClients: smtp.maxConnections,
    maxCommandLength: 2048,
    socketTimeout: SOCKET_MS,
    disabledCommands: ['AUTH', 'HELP', 'WIZ', 'SHELL', 'STARTTLS'],
    disableReverseLookup: true,
    lenientAddressParsing: true,
    logger: false,
    onRcptTo(address, { envelope }, callback) {
      // smtp-server keeps an address once, but each RCPT gets an answer after DATA. Postfix names it once.
      if (envelope.rcptTo.some((other) => isSame(other, address))) return callback(refusals.tryLater())
      // One server speaks for many senders, so their unknown recipients don't add up.
      const attempts = { sinceMail: 0, unknown: 0 }
      const found = acceptRecipient(ctx, address.address, attempts, declaredBytes(envelope))
      answer(
        observeRecipient(found).then((recipient) => void accepted.set(address, recipient)),
        callback,
      )
    },
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.flatMap((address) => accepted.get(address) ?? [])
      receiving.add(session.id)
      const transaction = {
        envelope: envelopeOf(session, lmtp),
        recipients,
        cutOff: (refusal: Refusal) => cutOff(server, session.id, refusal),
      }
      observeMail(runIncoming(NO_TRACE_CONTEXT, MAIL, () => receiveMail(stream, transaction)))
        .then(
          (outcomes) => callback(null, outcomes.map(toReply) as unknown as string),
          (error) => callback(isRefusal(error) ? error : refusals.tryLater()),
        )
        .finally(() => receiving.delete(session.id))
    },
  })
  server.on('error', ({ code }: Error & { code?: string }) => ctx.logger.info({ code }, 'an LMTP connection failed'))
  server.listen(lmtp.port, lmtp.host)
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => drain(server, receiving),
  }
}

/** Each inbox on its own: one that is full keeps the mail from nobody else. A mail that is offered again is not kept twice. */
async function deliverToEach(ctx: Arriving, mail: IncomingMail, recipients: Recipient[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const recipient of recipients)
    outcomes.push(
      await deliver(ctx, mail, [recipient]).then(
        () => undefined,
        (error) => (isRefusal(error) ? error : refusals.tryLater()),
      ),
    )
  return outcomes
}

function isSame(one: SMTPServerAddress, other: SMTPServerAddress): boolean {
  return one.address.toLowerCase() === other.address.toLowerCase()
}

function toReply(outcome: Outcome): Refusal | string {
  return outcome ?? '2.1.5 Delivered'
}

/** The sender's own connection ended at the other server, so only what that one found out can count. */
function envelopeOf(
  { envelope: { mailFrom }, remoteAddress: peer }: SMTPServerSession,
  { authservId }: NonNullable<Config['lmtp']>,
): SmtpEnvelope {
  const fetched = authservId === undefined ? {} : { authservId }
  return { sender: mailFrom === false ? '' : mailFrom.address, helo: '', peer, fetched }
}
