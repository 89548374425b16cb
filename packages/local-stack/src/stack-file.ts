import { renameSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Target } from '@family-inbox/ops/target'

/** A process the stack started: its id, and a word of its command line by which it is told from a later owner of that id. */
export type StackProcess = { readonly pid: number; readonly mark: string }

/**
 * What `<DATA_DIR>/stack.json` says while a stack runs: where everything is (for the operator command) and what would have
 * to be ended if the stack were killed. It holds the operator's key, so only the owner may read it.
 */
export type StackFile = Target & {
  readonly pid: number
  readonly urls: { readonly base: string; readonly api: string; readonly inbox: string }
  readonly mongoUri: string
  readonly natsUrl: string
  readonly processes: Readonly<Record<string, StackProcess>>
}

/** Replaces the file in one step: a reader sees the old one or the new one. */
export function writeStackFile(dataDir: string, content: StackFile): void {
  const path = stackFilePath(dataDir)
  writeFileSync(`${path}.new`, JSON.stringify(content, null, 2), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** What the running stack wrote, or one that was killed left behind; undefined when there is neither. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  return readFile(stackFilePath(dataDir), 'utf8').then(JSON.parse, () => undefined)
}

export async function removeStackFile(dataDir: string): Promise<void> {
  await rm(stackFilePath(dataDir), { force: true })
}

function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json')
}
