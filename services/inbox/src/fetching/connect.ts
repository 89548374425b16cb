import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from '@family-inbox/service-kit/http/public-address'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import { ImapFlow } from 'imapflow'
import { MAX_MAIL_BYTES } from '../arriving/read-data.ts'
import type { Context } from '../context.ts'
import type { FetchedMailbox, MailboxServer, Problem } from '../models/mailbox.ts'
import { MailboxProblem, problemOf } from './mailbox-problem.ts'
import { requireHeld } from './require-held.ts'
import { refreshAccess } from './tokens.ts'

const RESOLVE_MS = 5000
const CONNECT_MS = 15_000
/** RFC 9051: servers end a connection that was idle for 30 minutes. Some routers end it sooner. */
const IDLE_MS = 4 * 60_000
const MEGABYTE = 1024 * 1024

/** The caller closes the client; so does `signal`. @throws MailboxProblem, or what imapflow throws */
export async function connect(ctx: Context, row: FetchedMailbox, signal: AbortSignal): Promise<ImapFlow> {
  const { server } = row
  const auth = await credentialsOf(ctx, row)
  const client = new ImapFlow({
    ...(await target(server, ctx.config.mailboxesOnPrivateHosts)),
    ...encryptionOf(server),
    auth,
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
    // With a token, it is no password that is wrong.
    const isRefused = row.oauthProvider !== undefined && problemOf(error) === 'password'
    throw isRefused ? new MailboxProblem('consent', error) : error
  }
}

async function credentialsOf(ctx: Context, row: FetchedMailbox) {
  const user = row.server.userName
  if (row.oauthProvider === undefined) return { user, pass: openSecret(ctx, row, 'password') }
  const client = ctx.config.mailboxOauth[row.oauthProvider]
  if (client === undefined) throw new MailboxProblem('consent')
  const refreshToken = openSecret(ctx, row, 'consent')
  const tokens = await refreshAccess(client, refreshToken)
  // Some providers give another one each time, and forget the old one after months.
  if (tokens.refreshToken !== undefined && tokens.refreshToken !== refreshToken)
    await requireHeld(ctx, row, { $set: { sealed: ctx.mailboxSecrets.seal(tokens.refreshToken, row._id) } })
  return { user, accessToken: tokens.accessToken }
}

/** @throws MailboxProblem if there is none, or it was sealed with a key that is lost */
function openSecret({ mailboxSecrets }: Context, { _id, sealed = '' }: FetchedMailbox, problem: Problem): string {
  try {
    return mailboxSecrets.open(sealed, _id)
  } catch (error) {
    throw new MailboxProblem(problem, error)
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
