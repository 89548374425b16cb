import { MailboxAction, MailboxEncryption } from '@family-inbox/proto/inbox/v1/inbox'
import type { Visit } from '../shell/visit.ts'
import { PRESETS, type Preset, presetOf } from './mailbox-presets.ts'

/** What was typed, without the password: a page never has it. */
export const EMPTY = {
  with: '',
  by: '',
  for: '',
  host: '',
  port: '',
  encryption: 'tls',
  userName: '',
  folder: 'INBOX',
  authservId: '',
  action: 'leave',
  moveTo: '',
  senders: '',
  withEarlier: '',
}
export type Written = typeof EMPTY

export const OTHER = { id: 'other', label: 'Other' }

/** Undefined: another provider. */
export function presetFor({ with: id }: Written): Preset | undefined {
  return id === OTHER.id ? undefined : (presetOf(id) ?? PRESETS[0])
}

const LONGEST: Partial<Record<keyof Written, number>> = { senders: 20_000 }

export function readForm(visit: Visit): Written {
  const names = Object.keys(EMPTY) as (keyof Written)[]
  return Object.fromEntries(names.map((name) => [name, visit.field(name).slice(0, LONGEST[name] ?? 400)])) as Written
}

const ACTIONS: Record<string, MailboxAction> = {
  leave: MailboxAction.LEAVE,
  read: MailboxAction.MARK_READ,
  move: MailboxAction.MOVE,
}
const ENCRYPTIONS: Record<string, { encryption: MailboxEncryption; port: number }> = {
  tls: { encryption: MailboxEncryption.TLS, port: 993 },
  starttls: { encryption: MailboxEncryption.STARTTLS, port: 143 },
  none: { encryption: MailboxEncryption.NONE, port: 143 },
}

export function toRequest(written: Written) {
  const preset = presetFor(written)
  const { encryption, port } = ENCRYPTIONS[written.encryption] ?? { encryption: MailboxEncryption.UNSPECIFIED, port: 0 }
  const own = { host: written.host, port: Number(written.port) || port, encryption }
  const server = preset === undefined ? own : { host: preset.host, port: preset.port, encryption: preset.encryption }
  const { userName, folder, authservId } = written
  return {
    server: { ...server, userName, folder, authservId },
    handling: {
      action: ACTIONS[written.action] ?? MailboxAction.UNSPECIFIED,
      moveTo: written.moveTo,
      senders: written.senders.split(/[\s,;]+/u).filter(Boolean),
      withEarlier: written.withEarlier !== '',
    },
  }
}
