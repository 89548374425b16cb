import { stripVTControlCharacters } from 'node:util'

export type Outcome = { readonly passed: number; readonly failed: number }

// Each passed test is a line; failures of every kind are counted in the lines at the end. (The TAP reporter would be
// easier to read, but ava 8.0.1 ends with a crash in it when a test times out.)
const PASSED = /^ {2}[✔√] /gm
const FAILED =
  /^ {2}(\d+) (?:tests? failed|hooks? failed|uncaught exceptions?|unhandled rejections?|tests? remained pending)/gm

/**
 * Counts the tests in what ava printed.
 * @param exitCode a run that did not end well has at least one failure, whatever it printed
 */
export function countTests(output: string, exitCode: number): Outcome {
  const text = stripVTControlCharacters(output)
  const passed = [...text.matchAll(PASSED)].length
  const failed = [...text.matchAll(FAILED)].reduce((sum, [, count]) => sum + Number(count), 0)
  return { passed, failed: exitCode === 0 ? failed : Math.max(failed, 1) }
}
