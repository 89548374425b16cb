import { chmodSync, lutimesSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** In seconds since 1970: https://reproducible-builds.org/specs/source-date-epoch. */
const MADE_AT = Number(process.env.SOURCE_DATE_EPOCH ?? 0)

/**
 * Gives every file and folder in a folder, and the folder, the modes that any checkout would have, and one time.
 * @param {string} folder
 * @param {Record<string, number>} [modes] others, by path from the folder, such as "/tmp"
 */
export function settle(folder, modes = {}, path = '') {
  const here = join(folder, path)
  for (const entry of readdirSync(here, { withFileTypes: true })) {
    const inside = join(here, entry.name)
    if (entry.isDirectory()) settle(folder, modes, `${path}/${entry.name}`)
    else if (entry.isFile()) chmodSync(inside, statSync(inside).mode & 0o100 ? 0o755 : 0o644)
    if (!entry.isDirectory()) lutimesSync(inside, MADE_AT, MADE_AT)
  }
  chmodSync(here, modes[path] ?? 0o755)
  lutimesSync(here, MADE_AT, MADE_AT)
}
