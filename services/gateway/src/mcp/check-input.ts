import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { closestMatch } from 'leven'
import type { z } from 'zod'

/** Null counts as absent, and “5” as 5 and “true” as true where they are wanted: models send all of these. @throws StatusError INVALID_ARGUMENT */
export function checkInput<Input extends z.ZodObject>(schema: Input, values: Record<string, unknown>): z.infer<Input> {
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(schema.shape, key))
  if (unknown !== undefined) throw invalidArgument(unknown, unknownArgument(unknown, Object.keys(schema.shape)))
  const given = withoutNulls(values)
  const first = schema.safeParse(given)
  const result = first.success ? first : schema.safeParse(withValues(given, first.error))
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

/** Only what is the same when it is written again, and only where text is not valid. */
function withValues(values: Record<string, unknown>, { issues }: z.ZodError): Record<string, unknown> {
  const read = issues.flatMap((issue): [string, unknown][] => {
    const name = String(issue.path[0])
    const value = values[name]
    if (issue.code !== 'invalid_type' || typeof value !== 'string') return []
    if (issue.expected === 'boolean') return value === 'true' || value === 'false' ? [[name, value === 'true']] : []
    return WHOLE_NUMBER.test(value) ? [[name, Number(value)]] : []
  })
  return { ...values, ...Object.fromEntries(read) }
}

function unknownArgument(name: string, known: string[]): string {
  const shown = JSON.stringify(name.slice(0, 60))
  if (known.length === 0) return `Unknown argument ${shown}. This tool takes no arguments.`
  const near = nearest(name, known)
  return `Unknown argument ${shown}. ${near === undefined ? '' : `Did you mean ${near}? `}This tool takes: ${known.join(', ')}.`
}

/** However its words are joined: `loved_one_id` is lovedOneId. */
function nearest(name: string, known: string[]): string | undefined {
  const bare = (text: string) =>
    text
      .slice(0, 60)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
  const maxDistance = Math.min(3, Math.floor(bare(name).length / 3))
  const found = closestMatch(bare(name), known.map(bare), { maxDistance })
  return known.find((one) => bare(one) === found)
}
