import type { Connection } from 'mongoose'

const MISSING = [26, 27]

/** A unique index must begin with what decides the shard of its rows. The new one exists before the old one goes. */
export async function keepRepeatsByWorkspace(connection: Connection): Promise<void> {
  for (const name of ['replies', 'reply_proposals']) {
    const rows = connection.collection(name)
    await rows.createIndex(
      { workspaceId: 1, derivedKey: 1 },
      { unique: true, partialFilterExpression: { derivedKey: { $exists: true } } },
    )
    await rows.dropIndex('derivedKey_1').catch(ignoreMissing)
  }
}

/** A new database never had it. */
function ignoreMissing(error: unknown): void {
  if (!MISSING.includes((error as { code?: number }).code ?? 0)) throw error
}
