import {
  type AuditEntry,
  type AuthServiceService,
  CredentialKind,
  type Grant,
  Outcome,
  type Passkey,
  type Session,
  type ToolKey,
} from '@family-inbox/proto/auth/v1/auth'
import { type Member, MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type InboxServiceService, NotificationMode } from '@family-inbox/proto/inbox/v1/inbox'
import { requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Handlers } from '@family-inbox/service-kit/rpc/serve'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ActName } from '@family-inbox/workspace-kit/people-acts'
import type { World } from '../_world.ts'

/** The state behind the settings pages. */
export type SettingsWorld = {
  keys: ToolKey[]
  grants: Grant[]
  sessions: Session[]
  calls: AuditEntry[]
  passkeys: Passkey[]
  notifications: { mode: NotificationMode; timeZone: string }
  footers: { lovedOneId: string; text: string }[]
  noteAccess: { assistantsCanRead: boolean; assistantsCanReadFiles?: boolean | undefined }
}

const MINTED = 'sk-sand-4f0PzYh3kVQm7cJ2bXr9TgLw6NaEuDs1HiKoRtC8qWv'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const ago = (ms: number) => new Date(Date.now() - ms)

/** Two keys, one of them revoked, two applications, three devices, and two days of activity. */
export function newSettings(): SettingsWorld {
  const key = (id: string, name: string, days: number): ToolKey => ({
    id,
    name,
    createdAt: ago(days * DAY_MS),
    lastUsedAt: undefined,
    revokedAt: undefined,
    scopes: [],
  })
  const grant = (id: string, clientName: string, scopes: string[]): Grant => ({
    id,
    clientName,
    scopes,
    createdAt: ago(9 * DAY_MS),
    lastUsedAt: ago(20 * MINUTE_MS),
  })
  const session = (id: string, userAgent: string, days: number): Session => ({
    id,
    userAgent,
    createdAt: ago(days * DAY_MS),
    lastUsedAt: ago(days * 40 * MINUTE_MS),
  })
  return {
    keys: [
      { ...key('key_1', 'Claude Code on my laptop', 3), lastUsedAt: ago(5 * MINUTE_MS) },
      key('key_2', 'Script for the pill list', 12),
      { ...key('key_3', 'Old tablet', 90), revokedAt: ago(30 * DAY_MS) },
    ],
    grants: [
      grant('grant_1', 'Claude', ['profile:read', 'care_circle:read', 'care_circle:write']),
      grant('grant_2', 'ChatGPT', ['care_circle:read']),
    ],
    sessions: [
      session('secret', 'Firefox on Windows', 1),
      session('ses_2', 'Safari on iPhone', 6),
      session('ses_3', 'A browser', 40),
    ],
    calls: someCalls(),
    passkeys: [
      { id: 'pky_1', name: 'My phone', createdAt: ago(5 * DAY_MS), lastUsedAt: ago(DAY_MS), suspectedAt: undefined },
      { id: 'pky_2', name: 'Old key', createdAt: ago(90 * DAY_MS), lastUsedAt: undefined, suspectedAt: ago(DAY_MS) },
    ],
    notifications: { mode: NotificationMode.NONE, timeZone: '' },
    footers: [],
    noteAccess: { assistantsCanRead: false },
  }
}

function someCalls(): AuditEntry[] {
  const call = (minutes: number, tool: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
    id: `call_${minutes}`,
    personId: 'per_ana',
    workspaceId: 'ws_martin',
    credentialId: 'grant_1',
    kind: CredentialKind.ACCESS_TOKEN,
    tool,
    startedAt: ago(minutes * MINUTE_MS),
    durationUs: 4000,
    outcome: Outcome.OK,
    ...changes,
  })
  const luis = { personId: 'per_luis', credentialId: 'grant_luis' }
  const act = (minutes: number, tool: ActName, changes: Partial<AuditEntry> = {}): AuditEntry =>
    call(minutes, tool, { id: `act_${minutes}`, credentialId: '', kind: CredentialKind.PERSON, ...changes })
  return [
    call(1, 'get_inbox_message', { message: { messageId: 'msg_results', lovedOneId: 'lo_rosa' } }),
    call(2, 'get_inbox_message', { message: { messageId: 'msg_pharmacy', lovedOneId: 'lo_rosa' } }),
    call(4, 'get_inbox_message'),
    call(5, 'list_inbox_messages'),
    call(5.5, 'reply_to_inbox_message', { outcome: Outcome.APPROVAL_ASKED }),
    call(6, 'reply_to_inbox_message', { outcome: Outcome.INSUFFICIENT_SCOPE }),
    call(1500, 'invite_family_member', luis),
    call(1510, 'list_inbox_messages', { ...luis, outcome: Outcome.RATE_LIMITED }),
    call(1511, 'list_inbox_messages', { ...luis, outcome: Outcome.RATE_LIMITED }),
    call(1520, 'get_user_profile', { credentialId: 'key_gone', kind: CredentialKind.TOOL_KEY }),
    call(1530, 'unknown', { credentialId: 'ses_2', kind: CredentialKind.SESSION, outcome: Outcome.REFUSED }),
    act(3, 'open_message', { message: { messageId: 'msg_results', lovedOneId: 'lo_rosa' } }),
    act(7, 'forward_message', {
      message: { messageId: 'msg_pharmacy', lovedOneId: 'lo_rosa' },
      detail: { word: 'other' },
    }),
    act(8, 'open_message', { message: { messageId: 'msg_gone', lovedOneId: 'lo_rosa' }, personId: 'per_luis' }),
    act(9, 'use_emergency_link', { detail: { lovedOneId: 'lo_rosa' }, personId: '' }),
    act(1540, 'change_role', { detail: { personId: 'per_luis', word: 'coordinator' } }),
  ]
}

/** The inbox methods that the settings call. */
export function notificationHandlers(world: World): Partial<Handlers<typeof InboxServiceService>> {
  return {
    async listPushDevices(_request, call) {
      requirePrincipal(call)
      const addedAt = new Date('2026-04-02T09:00:00Z')
      return { devices: [{ id: 'pdv_1', browser: 'Firefox on Android', addedAt }], publicKey: `B${'x'.repeat(86)}` }
    },
    async getNotifications(_request, call) {
      requirePrincipal(call)
      return world.settings.notifications
    },
    async setNotifications({ mode, timeZone }, call) {
      requirePrincipal(call)
      if (mode === NotificationMode.UNSPECIFIED)
        throw invalidArgument('mode', 'mode must be one of none, each and digest.')
      world.settings.notifications = { mode, timeZone }
      return {}
    },
    async getReplyFooters(_request, call) {
      requirePrincipal(call)
      return { footers: world.settings.footers }
    },
    async setReplyFooter({ lovedOneId, text }, call) {
      requirePrincipal(call)
      if (text.length > 200) throw invalidArgument('text', 'text must be at most 200 characters.')
      const others = world.settings.footers.filter((one) => one.lovedOneId !== lovedOneId)
      world.settings.footers = [...others, { lovedOneId, text }]
      return {}
    },
    async listSubjects({ messages }, call) {
      requirePrincipal(call)
      const known = world.inbox.messages.flatMap(({ entry }) => entry.message ?? [])
      const asked = known.filter(({ id }) => messages.some(({ messageId }) => messageId === id))
      return { subjects: asked.map(({ id, subject }) => ({ messageId: id, subject })) }
    },
    async getNoteAccess(_request, call) {
      requirePrincipal(call)
      return world.settings.noteAccess
    },
    async setNoteAccess({ assistantsCanRead, assistantsCanReadFiles }, call) {
      requirePrincipal(call)
      world.settings.noteAccess = { assistantsCanRead, assistantsCanReadFiles }
      return {}
    },
    async getStorage(_request, call) {
      requirePrincipal(call)
      return { usedBytes: 8_450_000_000, limitBytes: 10_000_000_000, nearlyFull: true }
    },
    async unsubscribe() {
      return {}
    },
  }
}

/** The auth methods that the settings call. */
export function settingsHandlers(world: World): Partial<Handlers<typeof AuthServiceService>> {
  const missing = (what: string) => new StatusError('NOT_FOUND', `You have no ${what} with this id.`)
  const requireNamed = <Row extends { id: string }>(rows: Row[], id: string, what: string): Row => {
    const row = rows.find((one) => one.id === id)
    if (row === undefined) throw missing(what)
    return row
  }
  return {
    async listPasskeys(_request, call) {
      requirePrincipal(call)
      return { passkeys: world.settings.passkeys, passkeyOnlySince: undefined, recoverySheetAt: undefined }
    },
    async removePasskey({ passkeyId }) {
      requireNamed(world.settings.passkeys, passkeyId, 'passkey')
      world.settings.passkeys = world.settings.passkeys.filter(({ id }) => id !== passkeyId)
      return {}
    },
    async updateProfile({ name }, call) {
      requirePrincipal(call)
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      world.person.name = name
      return {}
    },
    async listToolKeys(_request, call) {
      requirePrincipal(call)
      return { keys: world.settings.keys, nextPageToken: '' }
    },
    async getToolKey({ keyId }) {
      return { key: requireNamed(world.settings.keys, keyId, 'key') }
    },
    async mintToolKey({ name, scopes, idempotencyKey }) {
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      const id = `key_${idempotencyKey}`
      const earlier = world.settings.keys.find((key) => key.id === id)
      if (earlier) return { key: earlier, secret: MINTED }
      const key = { id, name, scopes, createdAt: new Date(), lastUsedAt: undefined, revokedAt: undefined }
      world.settings.keys.unshift(key)
      return { key, secret: MINTED }
    },
    async deleteAccount(_request, call) {
      requirePrincipal(call)
      if (world.workspaces.some(({ role }) => role === Role.OWNER))
        throw new StatusError('FAILED_PRECONDITION', 'Every family needs an owner. Make somebody else the owner first.')
      return {}
    },
    async revokeToolKey({ keyId }) {
      requireNamed(world.settings.keys, keyId, 'key').revokedAt = new Date()
      return {}
    },
    async listGrants(_request, call) {
      requirePrincipal(call)
      return { grants: world.settings.grants, nextPageToken: '' }
    },
    async getGrant({ grantId }) {
      return { grant: requireNamed(world.settings.grants, grantId, 'application') }
    },
    async revokeGrant({ grantId }) {
      requireNamed(world.settings.grants, grantId, 'application')
      world.settings.grants = world.settings.grants.filter(({ id }) => id !== grantId)
      return {}
    },
    async listSessions(_request, call) {
      requirePrincipal(call)
      return { sessions: world.settings.sessions, nextPageToken: '' }
    },
    async listAuditEntries({ tool, outcomes, credentialId, messageId, timeZone = 'UTC', people = false }, call) {
      requirePrincipal(call)
      const isChosen = (one: AuditEntry) =>
        (one.kind === CredentialKind.PERSON) === people &&
        (tool === '' || one.tool === tool) &&
        (outcomes.length === 0 || outcomes.includes(one.outcome)) &&
        (credentialId === undefined || one.credentialId === credentialId) &&
        (messageId === undefined || one.message?.messageId === messageId)
      const credentials = [
        ...world.settings.grants.map(({ id, clientName: name }) => ({ id, name })),
        ...world.settings.keys.map(({ id, name }) => ({ id, name })),
        { id: 'grant_luis', name: 'ChatGPT' },
      ]
      const entries = world.settings.calls.filter(isChosen)
      const counts = entries.map((one) => ({ ...one, day: dayOf(one, timeZone), calls: 1, messages: 1 }))
      return { entries, credentials, nextPageToken: '', counts }
    },
    async recordAuditEntries() {
      return {}
    },
  }
}

function dayOf({ startedAt }: AuditEntry, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(startedAt)
}

/** Another member with assistants. */
export const LUIS: Member = {
  personId: 'per_luis',
  name: 'Luis Martin',
  email: 'luis@example.org',
  role: Role.COORDINATOR,
  relationship: 'son',
  status: MemberStatus.ACTIVE,
  invitationId: '',
  joinedAt: ago(100 * DAY_MS),
  expiresAt: undefined,
}
