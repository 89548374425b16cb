import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** `status.json` beside the backups: what `npm run ops -- doctor` reads. Times are ISO 8601. */
export type Status = {
  /** The last backup that was made. */
  madeAt?: string
  file?: string
  bytes?: number
  /** Why the newest attempt made none. */
  failure?: string
  /** The copy to a second place: when it last ended well, and why the newest one did not. */
  copiedAt?: string
  copyFailure?: string
  /** The last backup that was restored into scratch databases, and why the newest attempt failed. */
  triedAt?: string
  tryFailure?: string
  /** Somebody was shown the key that opens the backups. */
  keyShownAt?: string
}

export async function readStatus(folder: string): Promise<Status> {
  return readFile(statusFile(folder), 'utf8').then(JSON.parse, () => ({}))
}

/** Replaces these entries; undefined removes one. */
export async function changeStatus(folder: string, changes: { [Key in keyof Status]?: Status[Key] | undefined }) {
  const status = { ...(await readStatus(folder)), ...changes }
  await writeFile(`${statusFile(folder)}.new`, JSON.stringify(status, null, 2), { mode: 0o600 })
  await rename(`${statusFile(folder)}.new`, statusFile(folder))
}

function statusFile(folder: string): string {
  return join(folder, 'status.json')
}
