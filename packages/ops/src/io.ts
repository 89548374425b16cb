/** What the operator command knows of the world: the environment, and where it says what. */
export type Io = {
  env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  err(text: string): void
}

/** The option every command has. */
export const JSON_OPTION = ['--json', 'print one line of JSON'] as const

/** Prints a result: one line of JSON, or indented for people. */
export function print(io: Io, result: object, json = false): void {
  io.out(`${JSON.stringify(result, null, json ? 0 : 2)}\n`)
}
