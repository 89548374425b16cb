import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDER = join(import.meta.dirname, '../results')

/** Writes what was measured as JSON. @returns the file, as one would type it */
export function saveResults(name: string, results: object): string {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return relative('', file)
}
