import { hashToolKey, type ToolKey } from '@family-inbox/auth/models/tool-key'
import { mintKeys } from './mint-keys.ts'
import type { Workspace } from './workspace.ts'

/**
 * Creates keys that write at once, or whose writes wait. Each has written before, so no alarm is due.
 * @returns the secrets
 */
export async function mintWriters(workspace: Workspace, count: number, waits: boolean): Promise<string[]> {
  const secrets = await mintKeys(workspace, count)
  const now = new Date()
  const marks = { firstWriteAt: now, lastBurstAt: now, ...(waits && { access: 'approval' as const }) }
  await workspace
    .collection<ToolKey>('auth', 'tool_keys')
    .updateMany({ hash: { $in: secrets.map(hashToolKey) } }, { $set: marks })
  return secrets
}
