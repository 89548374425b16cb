export type Io = {
  env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  err(text: string): void
}

export const JSON_OPTION = ['--json', 'print one line of JSON'] as const

export function print(io: Io, result: object, json = false): void {
  io.out(`${JSON.stringify(result, null, json ? 0 : 2)}\n`)
}
