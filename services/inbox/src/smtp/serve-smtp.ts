import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { NOTHING } from '@family-inbox/service-kit/trace/along'
import { dealWithArrival } from '@family-inbox/service-kit/trace/steps'
import type { Step } from '@family-inbox/service-kit/trace/tracing'
import { SMTPServer, type SMTPServerAddress, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Context } from '../context.ts'
import type { Envelope } from '../models/message.ts'
import { acceptRecipient } from './accept-recipient.ts'
import { drainSmtp } from './drain-smtp.ts'
import { createPeerLimit } from './peer-limit.ts'
import { MAX_MAIL_BYTES } from './read-data.ts'
import { createReceiveMail } from './receive-mail.ts'
import type { RecipientInbox } from './recipient.ts'
import { isRefusal, refusals } from './refusals.ts'
import { observeReceived } from './smtp-metrics.ts'

export type SmtpServer = AsyncDisposable & { port: number }

/**
 * Serves inbound mail (RFC 5321) until disposed of: no relaying, no accounts, and 250 only for what is on disk. Disposing
 * takes no new mail and lets messages under way finish for at most 5 s.
 */
export async function serveSmtp(ctx: Context): Promise<SmtpServer> {
  const { host, port, maxConnectionsPerPeer } = ctx.config.smtp
  const peers = createPeerLimit(maxConnectionsPerPeer)
  const receiveMail = createReceiveMail(ctx)
  const refused = new Map<string, { count: number }>()
  const inboxOf = new WeakMap<SMTPServerAddress, RecipientInbox>()
  const receiving = new Set<string>()

  const server = new SMTPServer({
    ...optionsOf(ctx),
    onConnect({ id, remoteAddress }, callback) {
      refused.set(id, { count: 0 })
      callback(peers.admit(id, remoteAddress) ? null : refusals.tooManyConnections())
    },
    onRcptTo(address, { id }, callback) {
      const accepted = acceptRecipient(ctx, address.address, refused.get(id) ?? { count: 0 })
      answer(
        accepted.then((inbox) => void (inbox && inboxOf.set(address, inbox))),
        callback,
      )
    },
    onData(stream, session, callback) {
      const { id } = session
      const inboxes = session.envelope.rcptTo.flatMap((address) => inboxOf.get(address) ?? [])
      const cutOff = (refusal: { responseCode: number; message: string }) => {
        for (const connection of server.connections) if (connection.id === id) endConnection(connection, refusal)
      }
      receiving.add(id)
      const transaction = { envelope: envelopeOf(session), inboxes, cutOff }
      const received = dealWithArrival(NOTHING, MAIL, () => receiveMail(stream, transaction))
      answer(
        observeReceived(received).finally(() => receiving.delete(id)),
        callback,
      )
    },
    onClose({ id }) {
      peers.release(id)
      refused.delete(id)
    },
  })
  server.on('error', ({ code }: Error & { code?: string }) => ctx.logger.info({ code }, 'an SMTP connection broke off'))
  server.listen(port, host)
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => drainSmtp(server, receiving),
  }
}

const MAIL: Step = { name: 'SMTP DATA', kind: 'server' }

function optionsOf({ config }: Context): SMTPServerOptions {
  return {
    name: config.mailDomain,
    heloResponse: '%s',
    size: MAX_MAIL_BYTES,
    maxRecipients: 50,
    maxClients: config.smtp.maxConnections,
    maxCommandLength: 2048,
    socketTimeout: 60_000,
    // Encryption on the wire is the business of the host in front; the others are of no use here, or a joke.
    disabledCommands: ['AUTH', 'STARTTLS', 'HELP', 'WIZ', 'SHELL'],
    disableReverseLookup: true,
    // Senders with odd addresses exist; recipients are looked up, so nothing odd gets through there.
    lenientAddressParsing: true,
    logger: false,
  }
}

function envelopeOf({ envelope, hostNameAppearsAs, remoteAddress }: SMTPServerSession): Envelope {
  const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  return { sender, helo: hostNameAppearsAs, peer: remoteAddress }
}

type Connection = { send(code: number, text: string): void; close(): void }

function endConnection(connection: Connection, { responseCode, message }: { responseCode: number; message: string }) {
  connection.send(responseCode, message)
  connection.close()
}

/** The only callback between smtp-server and the handlers. */
function answer(work: Promise<void>, callback: (error?: Error | null) => void): void {
  work.then(
    () => callback(null),
    (error) => callback(isRefusal(error) ? error : refusals.notNow()),
  )
}
