import { stripVTControlCharacters } from 'node:util'

// A title starts with its file's path: `tests › site › pages › you can sign in`.
const FAILED_TEST = /^ {2}✘ \[fail\]: (.+)$/gm
const FAILED_FILE =
  /^ {2}(?:✘ (\S+\.test\.ts) exited with|✘ \d+ tests? remaining in (\S+\.test\.ts)|\d+ tests? were pending in (\S+\.test\.ts)|Uncaught exception in (\S+\.test\.ts)|Unhandled rejection in (\S+\.test\.ts))/gm

// ava leaves out the folder that all files of a run are in, such as that of every file of the cluster tier.
const LEFT_OUT = ['', 'tests › ', 'tests › cluster › ']

// Where one worker runs many files, each title starts with the path of its own.
const SHARED_WORKER = /scripts › unit-tests › part-\d › (\S+)\.test\.ts: /g

/** The test files with failures in ava's output. @param isFile takes a path from the repository root */
export function failedFiles(output: string, isFile: (path: string) => boolean): string[] {
  const named = [...plain(output).matchAll(FAILED_FILE)].map((match) => match.slice(1).find(Boolean) as string)
  const tests = failedTests(output).map((title) => fileOf(title, isFile))
  return [...new Set([...named, ...tests.filter((path) => path !== undefined)])]
}

/** Failed tests whose file is not known, by title: they cannot run again, so they stay failed. */
export function strayFailures(output: string, isFile: (path: string) => boolean): string[] {
  return failedTests(output).filter((title) => fileOf(title, isFile) === undefined)
}

function failedTests(output: string): string[] {
  return [...plain(output).matchAll(FAILED_TEST)].map(([, title]) => String(title))
}

// A slow test's time follows its title.
const PASSED_TEST = /^ {2}[✔√] (.+?)(?: \([\d.]+m?s\))?$/gm

/** The tests of a file that failed in ava's output of many files and passed when the file ran again alone, by title. */
export function flakyTests(file: string, before: string, again: string): string[] {
  const prefix = `${file.replace(/\.test\.ts$/, '').replaceAll('/', ' › ')} › `
  const failures = failedTests(before)
    .flatMap(withFolders)
    .filter((line) => line.startsWith(prefix))
  // A file that runs alone has titles without its path.
  const passed = [...plain(again).matchAll(PASSED_TEST)].map(([, title]) => `${prefix}${title}`)
  // The error's message follows a failed test's title.
  return passed.filter((title) => failures.some((line) => line === title || line.startsWith(`${title} `)))
}

/** Without colors, and with every title below its own file. */
function plain(output: string): string {
  const nest = (_whole: string, path: string) => `${path.replaceAll('/', ' › ')} › `
  return stripVTControlCharacters(output).replace(SHARED_WORKER, nest)
}

function fileOf(title: string, isFile: (path: string) => boolean): string | undefined {
  const paths = withFolders(title).flatMap((whole) => {
    const parts = whole.split(' › ')
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}.test.ts`)
  })
  return paths.find(isFile)
}

/** The title as it is, and below each folder that may be left out. */
function withFolders(title: string): string[] {
  return LEFT_OUT.map((folder) => `${folder}${title}`)
}
