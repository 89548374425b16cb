import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dumped } from '../dump.ts'
import { readKey } from '../key.ts'
import { isRestored, markRestored, replay } from '../oplog/replay.ts'
import { timeOf } from '../position.ts'
import { restore } from '../restore.ts'
import { openBackup } from '../workspace-keys.ts'
import type { NamedBackup } from './named-backup.ts'

/** What a restore filled, and how far it replayed the oplog. */
export type Restored = { collections: Dumped[]; replayed?: { changes: number; at: Date } }

/**
 * Fills empty databases from an encrypted backup with the keys beside it, and, with a time, from the slices of the oplog up to then. With a
 * later time, the same again continues. @throws before writing, when a key does not open it, or the databases have something else
 */
export async function restoreBackup(
  backup: NamedBackup,
  pathOfKey: string,
  uri: string,
  until?: Date,
): Promise<Restored> {
  const opened = await mkdtemp(join(tmpdir(), 'family-inbox-opened-'))
  try {
    const identity = await readKey(pathOfKey)
    const manifest = await openBackup(backup.file, identity, opened)
    if (until === undefined) return { collections: await restore(uri, opened) }
    const slices = await backup.slices()
    const isThere = await isRestored(uri)
    const collections = isThere ? [] : await restore(uri, opened)
    if (!isThere) await markRestored(uri, manifest)
    const { changes, at } = await replay(uri, { manifest, slices, fetch: backup.fetch, identity, until })
    return { collections, replayed: { changes, at: timeOf(at) } }
  } finally {
    await rm(opened, { recursive: true, force: true })
  }
}
