import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { SmtpEnvelope } from '@family-inbox/mail-reader/authenticity/authenticity'
import { durations } from '@family-inbox/service-kit/observability/metrics'
import { runIncoming } from '@family-inbox/service-kit/observability/spans'
import { NO_TRACE_CONTEXT } from '@family-inbox/service-kit/observability/trace-context'
import type { SpanOptions } from '@family-inbox/service-kit/observability/tracing'
import { openTlsFolder, type TlsFolder } from '@family-inbox/service-kit/tls/tls-folder'
import { SMTPServer, type SMTPServerAddress, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import type { Context } from '../context.ts'
import { acceptRecipient, type Recipient, type RecipientAttempts } from './accept-recipient.ts'
import { deliver } from './deliver.ts'
import { observeMail, observeRecipient } from './mail-metrics.ts'
import { createPeerLimit } from './peer-limit.ts'
import { MAX_MAIL_BYTES } from './read-data.ts'
import { createReceiveMail } from './receive-mail.ts'
import { isRefusal, type Refusal, refusals } from './refusals.ts'
import { createSlowRefusals } from './slow-refusals.ts'
import { answer, cutOff, declaredBytes, drain } from './smtp-session.ts'
import type { Arriving } from './store-mail.ts'

const MAIL: SpanOptions = { name: 'SMTP DATA', kind: 'server' }

const seconds = durations({
  name: 'mail_received_seconds',
  help: 'Seconds from DATA to the reply, by SMTP reply code.',
  labels: ['code'],
})

type SmtpServer = AsyncDisposable & { port: number }

/** RFC 5321: no relaying, no accounts, 250 only for mail on disk. STARTTLS (RFC 3207); certificates reload. */
export async function serveSmtp(ctx: Arriving): Promise<SmtpServer> {
  const { host, port, maxConnections, maxConnectionsPerPeer, idleTimeoutMs, tlsDir } = ctx.config.smtp
  const tls = tlsDir === undefined ? undefined : openTlsFolder('SMTP_TLS_DIR', tlsDir, ctx.logger)
  const peers = createPeerLimit(maxConnectionsPerPeer, maxConnections)
  const receiveMail = createReceiveMail(ctx, (mail, recipients) => deliver(ctx, mail, recipients))
  const slowly = createSlowRefusals()
  const attempts = new Map<string, RecipientAttempts>()
  const accepted = new WeakMap<SMTPServerAddress, Recipient>()
  const receiving = new Set<string>()
  /** A client that only keeps the connection open, such as with NOOP, loses it. */
  const idleTimeouts = createIdleTimeouts(idleTimeoutMs, (id) => cutOff(server, id, refusals.noMail()))

  const server = new SMTPServer({
    ...optionsOf(ctx, tls),
    onConnect({ id, remoteAddress }, callback) {
      attempts.set(id, { sinceMail: 0, unknown: 0 })
      idleTimeouts.begin(id)
      callback(peers.admit(id, remoteAddress) ? null : refusals.tooManyConnections())
    },
    onRcptTo(address, session, callback) {
      const { id, envelope } = session
      const own = attempts.get(id) ?? { sinceMail: 0, unknown: 0 }
      const recipient = acceptRecipient(ctx, address.address, own, declaredBytes(envelope))
      answer(
        slowly(session, observeRecipient(recipient)).then((found) => void accepted.set(address, found)),
        callback,
      )
    },
    onData(stream, session, callback) {
      const { id } = session
      const recipients = session.envelope.rcptTo.flatMap((address) => accepted.get(address) ?? [])
      attempts.set(id, { sinceMail: 0, unknown: attempts.get(id)?.unknown ?? 0 })
      receiving.add(id)
      idleTimeouts.end(id) // from here on, the message has its own time
      const transaction = {
        envelope: envelopeOf(session),
        recipients,
        cutOff: (reason: Refusal) => cutOff(server, id, reason),
      }
      const received = runIncoming(NO_TRACE_CONTEXT, MAIL, () => receiveMail(stream, transaction))
      answer(
        slowly(session, observeMail(observeReceived(received))).finally(() => {
          if (receiving.delete(id) && attempts.has(id)) idleTimeouts.begin(id)
        }),
        callback,
      )
    },
    onClose({ id }) {
      peers.release(id)
      attempts.delete(id)
      idleTimeouts.end(id)
    },
  })
  server.on('error', ({ code }: Error & { code?: string }) => ctx.logger.info({ code }, 'an SMTP connection failed'))
  const renewal = tls?.onRenewal(() => server.updateSecureContext(certificateOf(tls)))
  server.listen(port, host)
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      renewal?.[Symbol.dispose]()
      await drain(server, receiving)
    },
  }
}

function optionsOf({ config }: Context, tls: TlsFolder | undefined): SMTPServerOptions {
  return {
    name: config.mailDomain,
    heloResponse: '%s',
    size: MAX_MAIL_BYTES,
    maxRecipients: 50,
    maxClients: config.smtp.maxConnections,
    maxCommandLength: 2048,
    socketTimeout: 60_000,
    disabledCommands: ['AUTH', 'HELP', 'WIZ', 'SHELL', ...(tls === undefined ? ['STARTTLS'] : [])],
    ...(tls !== undefined && certificateOf(tls)),
    disableReverseLookup: true,
    // Some senders have invalid addresses; recipients are looked up anyway.
    lenientAddressParsing: true,
    logger: false,
  }
}

function certificateOf(tls: TlsFolder) {
  const { cert, key } = tls.current()
  return { cert, key, minVersion: 'TLSv1.2' as const }
}

function envelopeOf({ envelope, hostNameAppearsAs, remoteAddress }: SMTPServerSession): SmtpEnvelope {
  const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  return { sender, helo: hostNameAppearsAs, peer: remoteAddress }
}

async function observeReceived(work: Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const observe = (code: number) => seconds.observe({ code: `${code}` }, (performance.now() - startedAt) / 1000)
  try {
    await work
    observe(250)
  } catch (error) {
    observe(isRefusal(error) ? error.responseCode : 451)
    throw error
  }
}

type IdleTimeouts = {
  /** Starts the time of a connection. */
  begin(connectionId: string): void
  end(connectionId: string): void
}

/** Calls `expire` when a connection's time has passed without an end. */
function createIdleTimeouts(ms: number, expire: (connectionId: string) => void): IdleTimeouts {
  const timers = new Map<string, NodeJS.Timeout>()
  const end = (id: string) => {
    clearTimeout(timers.get(id))
    timers.delete(id)
  }
  return {
    begin(id) {
      end(id)
      timers.set(id, setTimeout(expire, ms, id).unref())
    },
    end,
  }
}
