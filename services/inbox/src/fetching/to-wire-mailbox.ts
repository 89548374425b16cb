import {
  MailboxAction,
  MailboxEncryption,
  MailboxProblem,
  MailboxState,
  type FetchedMailbox as WireMailbox,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { FetchedMailbox, MailboxServer, Problem } from '../models/mailbox.ts'

const ENCRYPTIONS: Record<MailboxServer['encryption'], MailboxEncryption> = {
  tls: MailboxEncryption.TLS,
  starttls: MailboxEncryption.STARTTLS,
  none: MailboxEncryption.NONE,
}
const ACTIONS: Record<FetchedMailbox['action'], MailboxAction> = {
  leave: MailboxAction.LEAVE,
  markRead: MailboxAction.MARK_READ,
  move: MailboxAction.MOVE,
}
const PROBLEMS: Record<Problem, MailboxProblem> = {
  password: MailboxProblem.PASSWORD,
  unreachable: MailboxProblem.UNREACHABLE,
  certificate: MailboxProblem.CERTIFICATE,
  folder: MailboxProblem.FOLDER,
  moveFolder: MailboxProblem.MOVE_FOLDER,
  privateHost: MailboxProblem.PRIVATE_HOST,
  storageFull: MailboxProblem.STORAGE_FULL,
  tooMuchMail: MailboxProblem.TOO_MUCH_MAIL,
  inboxGone: MailboxProblem.INBOX_GONE,
  server: MailboxProblem.SERVER,
  consent: MailboxProblem.CONSENT,
}

const PAUSED: Record<NonNullable<FetchedMailbox['paused']>, MailboxState> = {
  byMember: MailboxState.PAUSED,
  givenUp: MailboxState.GIVEN_UP,
  notConnected: MailboxState.NOT_CONNECTED,
}

export function toWireMailbox(row: Omit<FetchedMailbox, 'sealed'>): WireMailbox {
  const { _id, lovedOneId, server, action, moveTo, senders, withEarlier, problem, dueAt, paused } = row
  return {
    id: _id,
    lovedOneId,
    server: { ...server, encryption: ENCRYPTIONS[server.encryption], authservId: server.authservId ?? '' },
    handling: { action: ACTIONS[action], moveTo: moveTo ?? '', senders, withEarlier },
    state: stateOf(row),
    problem: problem === undefined ? MailboxProblem.UNSPECIFIED : PROBLEMS[problem],
    nextTryAt: problem === undefined || paused !== undefined ? undefined : dueAt,
    checkedAt: row.checkedAt,
    fetched: row.fetched,
    tooLarge: row.tooLarge,
    oauthProvider: row.oauthProvider ?? '',
  }
}

function stateOf({
  paused,
  problem,
  checkedAt,
}: Pick<FetchedMailbox, 'paused' | 'problem' | 'checkedAt'>): MailboxState {
  if (paused !== undefined) return PAUSED[paused]
  if (problem !== undefined) return MailboxState.FAILING
  return checkedAt === undefined ? MailboxState.CONNECTING : MailboxState.WORKING
}
