import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { readServerCertificate, watchCertificate } from '@family-inbox/service-kit/http/https-server'
import { runIncoming } from '@family-inbox/service-kit/observability/spans'
import { NO_TRACE_CONTEXT } from '@family-inbox/service-kit/observability/trace-context'
import type { SpanOptions } from '@family-inbox/service-kit/observability/tracing'
import { SMTPServer, type SMTPServerAddress, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Context } from '../context.ts'
import type { Envelope } from '../models/message.ts'
import { acceptRecipient } from './accept-recipient.ts'
import { createPeerLimit } from './peer-limit.ts'
import { MAX_MAIL_BYTES } from './read-data.ts'
import { createReceiveMail } from './receive-mail.ts'
import type { RecipientInbox } from './recipient.ts'
import { isRefusal, refusals } from './refusals.ts'
import { observeReceived } from './smtp-metrics.ts'

type SmtpServer = AsyncDisposable & { port: number }

/**
 * Serves inbound mail (RFC 5321) until disposed of: no relaying, no accounts, and 250 only for what is on disk. With a
 * certificate it offers STARTTLS (RFC 3207); a renewed one is shown to those who connect next, and breaks nobody off. Disposing
 * takes no new mail and lets messages under way finish for at most 5 s.
 * @throws ConfigError when the folder of the certificate lacks a file
 */
export async function serveSmtp(ctx: Context): Promise<SmtpServer> {
  const { host, port, maxConnections, maxConnectionsPerPeer, tlsDir } = ctx.config.smtp
  const peers = createPeerLimit(maxConnectionsPerPeer, maxConnections)
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
    onRcptTo(address, { id, envelope }, callback) {
      const accepted = acceptRecipient(ctx, address.address, refused.get(id) ?? { count: 0 }, declaredBytes(envelope))
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
      const received = runIncoming(NO_TRACE_CONTEXT, MAIL, () => receiveMail(stream, transaction))
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
  const renewal = tlsDir === undefined ? undefined : watchCertificate(tlsDir, () => renewCertificate(server, tlsDir))
  server.listen(port, host)
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      renewal?.[Symbol.dispose]()
      await drainSmtp(server, receiving)
    },
  }
}

const MAIL: SpanOptions = { name: 'SMTP DATA', kind: 'server' }

function optionsOf({ config }: Context): SMTPServerOptions {
  const { tlsDir } = config.smtp
  return {
    name: config.mailDomain,
    heloResponse: '%s',
    size: MAX_MAIL_BYTES,
    maxRecipients: 50,
    maxClients: config.smtp.maxConnections,
    maxCommandLength: 2048,
    socketTimeout: 60_000,
    // The others are of no use here, or a joke.
    disabledCommands: ['AUTH', 'HELP', 'WIZ', 'SHELL', ...(tlsDir === undefined ? ['STARTTLS'] : [])],
    ...(tlsDir !== undefined && certificateOf(tlsDir)),
    disableReverseLookup: true,
    // Senders with odd addresses exist; recipients are looked up, so nothing odd gets through there.
    lenientAddressParsing: true,
    logger: false,
  }
}

function certificateOf(tlsDir: string) {
  return { ...readServerCertificate('SMTP_TLS_DIR', tlsDir), minVersion: 'TLSv1.2' as const }
}

function renewCertificate(server: SMTPServer, tlsDir: string): void {
  const renewed = certificateOf(tlsDir)
  createSecureContext(renewed) // throws on a half-written pair, on which the library would lose the one it has
  server.updateSecureContext(renewed)
}

function envelopeOf({ envelope, hostNameAppearsAs, remoteAddress }: SMTPServerSession): Envelope {
  const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  return { sender, helo: hostNameAppearsAs, peer: remoteAddress }
}

/** What MAIL FROM says the message has; smtp-server has refused what is no number. */
function declaredBytes({ mailFrom }: SMTPServerSession['envelope']): number {
  const { SIZE: size = 0 } = (mailFrom ? mailFrom.args : {}) as { SIZE?: string | number }
  return Number(size) || 0
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

const DRAIN_MS = 5000
const POLL_MS = 20
/** For the last answers to leave. */
const FLUSH_MS = 500

/**
 * Closes the server: no new connections, idle ones end at once (421), messages under way have 5 s to be answered.
 * @param receiving the ids of the sessions in the middle of a message
 */
async function drainSmtp(server: SMTPServer, receiving: ReadonlySet<string>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  closeConnections(server, (id) => !receiving.has(id))
  const deadline = Date.now() + DRAIN_MS
  while (receiving.size > 0 && Date.now() < deadline) await sleep(POLL_MS)
  closeConnections(server, () => true)
  await Promise.race([closed, sleep(FLUSH_MS)])
}

function closeConnections(server: SMTPServer, isMeant: (id: string) => boolean): void {
  for (const connection of [...server.connections])
    if (isMeant(connection.id)) connection.send(421, 'Server shutting down')
}
