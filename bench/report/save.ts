import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const FOLDER = join(import.meta.dirname, '../results')

/** Writes the results as JSON. @returns the relative path */
export function saveResults(name: string, results: object): string {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  return relative('', file)
}
