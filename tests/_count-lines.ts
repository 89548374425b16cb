import { readFileSync } from 'node:fs'

/** How often a log has exactly this line. */
export function countLines(file: string, line: string): number {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((one) => one === line).length
}
