import type { Session } from '@family-inbox/auth/models/session'
import { hashSecret, newSecret } from '@family-inbox/auth/secret'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { windowOfCalls } from './mint-keys.ts'
import type { Workspace } from './workspace.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Creates many sessions of the owner.
 * @param used whether each has a full window of past calls
 * @returns the secrets
 */
export async function mintSessions(workspace: Workspace, count: number, used = true): Promise<string[]> {
  const { personId, workspaceId } = workspace.ownerKey
  const secrets = Array.from({ length: count }, newSecret)
  const now = new Date()
  const later = new Date(now.getTime() + 30 * DAY_MS)
  const rows = secrets.map((secret) => ({
    _id: newId('ses'),
    hash: hashSecret(secret),
    personId,
    workspaceId,
    email: workspace.family.people.owner,
    userAgent: 'Firefox on Linux',
    createdAt: now,
    lastUsedAt: now,
    expiresAt: later,
    endsAt: later,
    calls: used ? windowOfCalls() : [],
  }))
  await workspace.collection<Session>('auth', 'sessions').insertMany(rows)
  return secrets
}
