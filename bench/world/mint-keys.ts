import { generateToolKey, hashToolKey, type ToolKey } from '@family-inbox/auth/models/tool-key'
import { newId } from '@family-inbox/service-kit/ids/ids'
import type { Workspace } from './workspace.ts'

const CALLS_A_WINDOW = 60

/**
 * Creates many keys of the owner. Each has a full window of past calls, so the limit costs the same from the first call on.
 * @param used false for keys without calls
 * @returns the secrets
 */
export async function mintKeys(workspace: Workspace, count: number, used = true): Promise<string[]> {
  const secrets = Array.from({ length: count }, generateToolKey)
  const calls = used ? windowOfCalls() : []
  const rows = secrets.map((secret) => ({
    ...workspace.ownerKey,
    _id: newId('key'),
    hash: hashToolKey(secret),
    calls,
  }))
  await workspace.collection<ToolKey>('auth', 'tool_keys').insertMany(rows)
  return secrets
}

function windowOfCalls(): Date[] {
  const anHourAgo = Date.now() - 3_600_000
  return Array.from({ length: CALLS_A_WINDOW }, (_, index) => new Date(anHourAgo + index * 1000))
}
