import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generateX25519Identity } from 'age-encryption'

/** The age identity that opens the backups of a data folder. No backup holds it. */
export function keyFile(dataDir: string): string {
  return join(dataDir, 'secrets', 'backup-key.txt')
}

/** Makes it when it is first needed. @returns `AGE-SECRET-KEY-1…` */
export async function backupKey(dataDir: string): Promise<string> {
  const file = keyFile(dataDir)
  const kept = await readKey(file).catch(() => undefined)
  if (kept !== undefined) return kept
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const own = `${file}.${process.pid}`
  await writeFile(own, `${await generateX25519Identity()}\n`, { mode: 0o600 })
  // Whole or not at all; and of two at the same moment, the first counts.
  await link(own, file).catch((error) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(own)
  return readKey(file)
}

/** @throws when the file has no key */
export async function readKey(file: string): Promise<string> {
  const found = /AGE-SECRET-KEY-1[0-9A-Z]+/.exec((await readFile(file, 'utf8')).toUpperCase())
  if (found === null) throw new Error(`${file} has no key: it begins with AGE-SECRET-KEY-1.`)
  return found[0]
}
