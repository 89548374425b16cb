import { stripVTControlCharacters } from 'node:util'

// A title starts with its file's path: `tests › site › pages › you can sign in`.
const FAILED_TEST = /^ {2}✘ \[fail\]: (.+)$/gm
const FAILED_FILE =
  /^ {2}(?:✘ (\S+\.test\.ts) exited with|✘ \d+ tests? remaining in (\S+\.test\.ts)|\d+ tests? were pending in (\S+\.test\.ts)|Uncaught exception in (\S+\.test\.ts)|Unhandled rejection in (\S+\.test\.ts))/gm

/** The test files with failures in ava's output. @param isFile takes a path from the repository root */
export function failedFiles(output: string, isFile: (path: string) => boolean): string[] {
  const text = stripVTControlCharacters(output)
  const named = [...text.matchAll(FAILED_FILE)].map((match) => match.slice(1).find(Boolean) as string)
  const tests = [...text.matchAll(FAILED_TEST)].map(([, title]) => fileOf(String(title), isFile))
  return [...new Set([...named, ...tests.filter((path) => path !== undefined)])]
}

function fileOf(title: string, isFile: (path: string) => boolean): string | undefined {
  const parts = title.split(' › ')
  const paths = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}.test.ts`)
  return paths.find(isFile)
}
