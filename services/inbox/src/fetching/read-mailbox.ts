import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import {
  MailboxAction,
  MailboxEncryption,
  type MailboxHandling,
  type MailboxServer as WireServer,
} from '@family-inbox/proto/inbox/v1/inbox'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { requireSender } from '../arriving/require-sender.ts'
import type { FetchedMailbox, MailboxServer } from '../models/mailbox.ts'

const MAX_SENDERS = 200
const MAX_PASSWORD = 500

const ENCRYPTIONS: Partial<Record<MailboxEncryption, MailboxServer['encryption']>> = {
  [MailboxEncryption.TLS]: 'tls',
  [MailboxEncryption.STARTTLS]: 'starttls',
  [MailboxEncryption.NONE]: 'none',
}
/** The standard ports (RFC 8314): others could be any service of a network. */
const PORTS: Record<MailboxServer['encryption'], number | undefined> = { tls: 993, starttls: 143, none: undefined }

/** @param allowsPrivate whether any port is allowed, and no encryption @throws StatusError INVALID_ARGUMENT naming the field */
export function readServer(server: WireServer | undefined, allowsPrivate: boolean): MailboxServer {
  const host = readHost(server?.host ?? '')
  const encryption = ENCRYPTIONS[server?.encryption ?? MailboxEncryption.UNSPECIFIED]
  if (encryption === undefined || (encryption === 'none' && !allowsPrivate))
    throw invalidArgument('encryption', 'encryption must be TLS or STARTTLS.')
  const port = server?.port ?? 0
  const isPort = allowsPrivate ? port > 0 && port < 65_536 : port === PORTS[encryption]
  if (!isPort) throw invalidArgument('port', 'port must be 993 with TLS, or 143 with STARTTLS.')
  const authservId = optionalLine('authservId', server?.authservId ?? '', 250)
  return {
    host,
    port,
    encryption,
    userName: requireLine('userName', server?.userName ?? '', 320),
    folder: optionalLine('folder', server?.folder ?? '', 200) || 'INBOX',
    ...(authservId !== '' && { authservId }),
  }
}

function readHost(written: string): string {
  const host = requireLine('host', written, 253).toLowerCase()
  const ascii = isIP(host) === 0 ? domainToASCII(host) : host
  if (ascii === '' || /[^a-z0-9.:-]/.test(ascii))
    throw invalidArgument('host', 'host must be the name of a mail server, like imap.example.org.')
  return ascii
}

const ACTIONS: Partial<Record<MailboxAction, FetchedMailbox['action']>> = {
  [MailboxAction.LEAVE]: 'leave',
  [MailboxAction.MARK_READ]: 'markRead',
  [MailboxAction.MOVE]: 'move',
}

type Handling = Pick<FetchedMailbox, 'action' | 'moveTo' | 'senders' | 'withEarlier'>

/** @throws StatusError INVALID_ARGUMENT naming the field */
export function readHandling(handling: MailboxHandling | undefined, { folder }: MailboxServer): Handling {
  const action = ACTIONS[handling?.action ?? MailboxAction.UNSPECIFIED]
  if (action === undefined) throw invalidArgument('action', 'action must be LEAVE, MARK_READ or MOVE.')
  const written = handling?.senders ?? []
  const senders = [...new Set(written.map((sender) => requireSender('senders', sender)))]
  if (senders.length > MAX_SENDERS)
    throw invalidArgument('senders', `senders must be at most ${MAX_SENDERS} addresses and domains.`)
  const withEarlier = handling?.withEarlier ?? false
  if (action !== 'move') return { action, senders, withEarlier }
  const moveTo = requireLine('moveTo', handling?.moveTo ?? '', 200)
  if (moveTo.toLowerCase() === folder.toLowerCase())
    throw invalidArgument('moveTo', 'moveTo must be another folder than the one that is fetched.')
  return { action, moveTo, senders, withEarlier }
}

/** @throws StatusError INVALID_ARGUMENT without the password in it */
export function readPassword(password: string): string {
  if (password.trim() === '' || password.length > MAX_PASSWORD || /[\r\n\0]/.test(password))
    throw invalidArgument('password', `password must be one line of at most ${MAX_PASSWORD} characters.`)
  return password.trim()
}
