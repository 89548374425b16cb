/** The option every command has. */
export const JSON_OPTION = ['--json', 'print one line of JSON'] as const

/** Prints a result: one line of JSON, or indented for people. */
export function print(result: object, json = false): void {
  process.stdout.write(`${JSON.stringify(result, null, json ? 0 : 2)}\n`)
}
