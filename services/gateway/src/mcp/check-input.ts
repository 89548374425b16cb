import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { z } from 'zod'

/** Null counts as absent, and “5” as 5 where a number is wanted: models send both. @throws StatusError INVALID_ARGUMENT */
export function checkInput<Input extends z.ZodObject>(schema: Input, values: Record<string, unknown>): z.infer<Input> {
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(schema.shape, key))
  if (unknown !== undefined) throw invalidArgument(unknown, unknownArgument(unknown, Object.keys(schema.shape)))
  const given = withoutNulls(values)
  const first = schema.safeParse(given)
  const result = first.success ? first : schema.safeParse(withNumbers(given, first.error))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw invalidArgument(
    String(issue?.path[0] ?? ''),
    issue?.message ?? 'The arguments are not valid. Check them against the input schema.',
  )
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d{0,14})$/

/** Only what is the same number when it is written again, and only where text is not valid. */
function withNumbers(values: Record<string, unknown>, { issues }: z.ZodError): Record<string, unknown> {
  const wanted = issues.flatMap(({ code, path }) => (code === 'invalid_type' ? path[0] : []))
  const isWritten = (name: string, value: unknown) =>
    wanted.includes(name) && typeof value === 'string' && WHOLE_NUMBER.test(value)
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isWritten(name, value) ? Number(value) : value]),
  )
}

function unknownArgument(name: string, known: string[]): string {
  const shown = JSON.stringify(name.slice(0, 60))
  if (known.length === 0) return `Unknown argument ${shown}. This tool takes no arguments.`
  return `Unknown argument ${shown}. This tool takes: ${known.join(', ')}.`
}
