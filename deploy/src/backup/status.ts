import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Status } from '@family-inbox/ops/doctor/backup-checks'

export async function readStatus(folder: string): Promise<Status> {
  return readFile(statusFile(folder), 'utf8').then(JSON.parse, () => ({}))
}

/** Replaces these entries; undefined removes one. */
export async function changeStatus(folder: string, changes: { [Key in keyof Status]?: Status[Key] | undefined }) {
  const status = { ...(await readStatus(folder)), ...changes }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${statusFile(folder)}.new`, JSON.stringify(status, null, 2), { mode: 0o600 })
  await rename(`${statusFile(folder)}.new`, statusFile(folder))
}

function statusFile(folder: string): string {
  return join(folder, 'status.json')
}
