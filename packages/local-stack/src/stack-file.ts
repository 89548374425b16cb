import { renameSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Target } from '@family-inbox/ops/target'

/** The name of the process that runs all services. */
export const ALL_SERVICES = 'services'

/** A pid, and a part of its command line, because pids are reused. */
export type StackProcess = { readonly pid: number; readonly mark: string }

/** `<DATA_DIR>/stack.json`: addresses for the operator command, and what to end after a crash. Holds the operator's key: mode 600. */
export type StackFile = Target & {
  readonly pid: number
  readonly urls: { readonly base: string; readonly api: string; readonly inbox: string }
  readonly mongoUri: string
  readonly natsUrl: string
  /** For the doctor. */
  readonly metricsUrls: Readonly<Record<string, string>>
  /** Of the software that was started. */
  readonly version: string
  readonly processes: Readonly<Record<string, StackProcess>>
}

/** Atomic: a reader sees the old file or the new one. */
export function writeStackFile(dataDir: string, content: StackFile): void {
  const path = stackFilePath(dataDir)
  writeFileSync(`${path}.new`, JSON.stringify(content, null, 2), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  return readFile(stackFilePath(dataDir), 'utf8').then(JSON.parse, () => undefined)
}

export async function removeStackFile(dataDir: string): Promise<void> {
  await rm(stackFilePath(dataDir), { force: true })
}

export function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json')
}
