import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ActDetail,
  type AuditEntry,
  type AuthServiceService,
  CredentialKind,
  type MessageRef,
  Outcome,
} from '@family-inbox/proto/auth/v1/auth'
import { deriveId, newId } from '@family-inbox/service-kit/ids/ids'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'

/** What people do on our pages and the family's activity lists, from what only looks to what changes most. */
export const ACTS = [
  'open_message',
  'preview_attachment',
  'download_attachment',
  'print_message',
  'open_emergency_sheet',
  'print_emergency_sheet',
  'use_emergency_link',
  'restore_message',
  'move_to_junk',
  'move_to_deleted',
  'move_to_inbox',
  'join_conversations',
  'take_out_message',
  'undo_rearrangement',
  'delete_reply',
  'delete_for_good',
  'block_sender',
  'add_mailbox',
  'create_calendar_address',
  'create_emergency_link',
  'download_export',
  'take_back_mail',
  'write_message',
  'forward_message',
  'invite_person',
  'change_role',
  'remove_person',
  'leave_family',
] as const

export type ActName = (typeof ACTS)[number]

/** Who it went to. Never the address itself. */
export type AddressClass = 'member' | 'address_book' | 'other'

export type Act = {
  act: ActName
  message?: MessageRef
  detail?: Omit<ActDetail, 'word'> & { word?: string }
  /** What was stored or changed: however often it is asked for, it is recorded once. */
  once?: string
  /** What was looked at: recorded once an hour for each person, so that reloading a page is no new entry. */
  hourly?: string
}

type Actor = { workspaceId: string; personId: string }

/** Resolves when the entry is durable, or after a second, and never rejects: what is late is tried again in the background. */
export type RecordAct = (actor: Actor, act: Act) => Promise<void>

/** No page waits longer for its entry. */
const WAIT_MS = 1000
const RETRY_MS = 2000
const MAX_TRIES = 150
/** While auth is away, of one process. */
const MAX_LATE = 10_000

/** The acts of people go where the calls of assistants go, and are as durable before the answer. */
export function createRecordAct(auth: RpcClient<typeof AuthServiceService>, logger: Logger): RecordAct {
  const store = createBatcher(async (entries: AuditEntry[]) => {
    await auth.recordAuditEntries({ entries })
    return entries
  })
  let late = 0

  async function keepTrying(entry: AuditEntry): Promise<void> {
    late += 1
    try {
      for (let tries = 1; tries <= MAX_TRIES && late <= MAX_LATE; tries += 1) {
        await sleep(RETRY_MS, undefined, { ref: false })
        if (await isStored(entry)) return
      }
      logger.error({ entry: entry.id }, 'an activity entry is lost')
    } finally {
      late -= 1
    }
  }

  async function isStored(entry: AuditEntry): Promise<boolean> {
    try {
      await store(entry)
      return true
    } catch (error) {
      logger.warn({ ...describeError(error), entry: entry.id }, 'an activity entry is not recorded yet; will retry')
      return false
    }
  }

  return async (actor, act) => {
    const entry = toEntry(actor, act, new Date())
    const stored = isStored(entry).then((isThere) => {
      if (!isThere) void keepTrying(entry)
    })
    await raceDeadline(stored, Date.now() + WAIT_MS).catch(() => {})
  }
}

export function toEntry({ workspaceId, personId }: Actor, one: Act, startedAt: Date): AuditEntry {
  const { act, message, detail } = one
  return {
    id: entryId({ workspaceId, personId }, one, startedAt),
    workspaceId,
    personId,
    credentialId: '',
    kind: CredentialKind.PERSON,
    tool: act,
    startedAt,
    durationUs: 0,
    outcome: Outcome.OK,
    message,
    detail,
  }
}

function entryId({ workspaceId, personId }: Actor, { act, once, hourly }: Act, at: Date): string {
  const whose = [workspaceId, personId, act]
  if (once !== undefined) return deriveId('act', [...whose, once])
  if (hourly !== undefined) return deriveId('act', [...whose, hourly, `${Math.floor(at.getTime() / HOUR_MS)}`])
  return newId('act')
}
