import { stripVTControlCharacters } from 'node:util'

export type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

// A passed test is a line; failures are counted in the summary. ava 8.0.1's TAP reporter crashes when a test times out.
const PASSED = /^ {2}[✔√] /gm
const SKIPPED = /^ {2}- \[skip\]/gm
const FAILED =
  /^ {2}(\d+) (?:tests? failed|hooks? failed|uncaught exceptions?|unhandled rejections?|tests? remained pending)/gm

/** Counts the tests in ava's output. @param exitCode other than 0 counts as at least one failure */
export function countTests(output: string, exitCode: number): Outcome {
  const text = stripVTControlCharacters(output)
  const passed = [...text.matchAll(PASSED)].length
  const failed = [...text.matchAll(FAILED)].reduce((sum, [, count]) => sum + Number(count), 0)
  const skipped = [...text.matchAll(SKIPPED)].length
  return { passed, skipped, failed: exitCode === 0 ? failed : Math.max(failed, 1) }
}
