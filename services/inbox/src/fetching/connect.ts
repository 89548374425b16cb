import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from '@family-inbox/service-kit/http/public-address'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { ImapFlow } from 'imapflow'
import { MAX_MAIL_BYTES } from '../arriving/read-data.ts'
import type { Context } from '../context.ts'
import type { FetchedMailbox, MailboxServer } from '../models/mailbox.ts'
import { MailboxProblem } from './mailbox-problem.ts'

const RESOLVE_MS = 5000
const CONNECT_MS = 15_000
/** RFC 9051: servers end a connection that was idle for 30 minutes. Some routers end it sooner. */
const IDLE_MS = 4 * 60_000
const MEGABYTE = 1024 * 1024

/** The caller closes the client; so does `signal`. @throws MailboxProblem, or what imapflow throws */
export async function connect(
  ctx: Context,
  { _id, server, sealed }: FetchedMailbox,
  signal: AbortSignal,
): Promise<ImapFlow> {
  const pass = openPassword(ctx, _id, sealed)
  const client = new ImapFlow({
    ...(await target(server, ctx.config.mailboxesOnPrivateHosts)),
    ...encryptionOf(server),
    auth: { user: server.userName, pass },
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: IDLE_MS,
    connectionTimeout: CONNECT_MS,
    maxLiteralSize: MAX_MAIL_BYTES + MEGABYTE,
    maxResponseSize: MAX_MAIL_BYTES + 2 * MEGABYTE,
    // A search for 10^6 messages answers one line.
    maxLineLength: 16 * MEGABYTE,
    maxResponseTokens: 100_000,
    clientInfo: { name: 'Family Care Inbox' },
  })
  // Without a listener, it would end the process. Whatever is waiting for an answer gets the error, too.
  client.on('error', () => {})
  signal.addEventListener('abort', () => client.close(), { once: true })
  try {
    signal.throwIfAborted()
    await client.connect()
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

/** @throws MailboxProblem if it was sealed with a key that is lost */
function openPassword({ mailboxSecrets }: Context, id: string, sealed: string): string {
  try {
    return mailboxSecrets.open(sealed, id)
  } catch (error) {
    throw new MailboxProblem('password', error)
  }
}

/** Connects to an address that was checked, so that a name cannot lead elsewhere the second time it is looked up. */
async function target({ host, port }: MailboxServer, allowsPrivate: boolean) {
  const addresses = await raceDeadline(lookup(host, { all: true, order: 'ipv4first' }), Date.now() + RESOLVE_MS).catch(
    (cause) => {
      throw new MailboxProblem('unreachable', cause)
    },
  )
  const [first] = addresses
  if (first === undefined) throw new MailboxProblem('unreachable')
  if (!allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new MailboxProblem('privateHost')
  const tls = { minVersion: 'TLSv1.2' as const }
  return { host: first.address, port, ...(isIP(host) === 0 && { servername: host }), tls }
}

function encryptionOf({ encryption }: MailboxServer) {
  if (encryption === 'tls') return { secure: true }
  return { secure: false, doSTARTTLS: encryption === 'starttls' }
}
