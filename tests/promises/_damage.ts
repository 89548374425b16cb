import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import type { Random } from '../_random.ts'

/** Damages a file as a broken disk does. */
export type Damage = (file: string, random: Random) => void

/** One bit in each of these many bytes. */
const SECTOR = 512

export const flipBits: Damage = (file, random) => {
  const bytes = readFileSync(file)
  for (let start = 0; start < bytes.length; start += SECTOR) {
    const position = random.between(start, Math.min(start + SECTOR, bytes.length))
    bytes[position] = (bytes[position] ?? 0) ^ (1 << random.between(0, 8))
  }
  writeFileSync(file, bytes)
}

export const truncate: Damage = (file) => truncateSync(file, readFileSync(file).length >> 1)

/** Where a stream keeps its messages. */
export const MESSAGES = /\/streams\/\w+\/msgs\/\d+\.blk$/

/** Damages the files of a nats-server that are named by a pattern. @returns how many */
export function damageStore(
  { dataDir }: Pick<Stack, 'dataDir'>,
  server: ProcessName,
  damage: Damage,
  random: Random,
  named = MESSAGES,
): number {
  const found = readdirSync(join(dataDir, server, 'jetstream'), { recursive: true, withFileTypes: true })
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => named.test(file))
  return files.filter((file) => damageIfThere(file, damage, random)).length
}

/** A running server may have removed it meanwhile. @returns whether it was there */
function damageIfThere(file: string, damage: Damage, random: Random): boolean {
  try {
    damage(file, random)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
