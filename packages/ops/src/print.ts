/** Prints a result: one line of JSON, or indented for people. */
export function print(result: object, json = false): void {
  process.stdout.write(`${JSON.stringify(result, null, json ? 0 : 2)}\n`)
}
