import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { z } from 'zod'

/** Null counts as absent: models send it for what they leave out. @throws StatusError INVALID_ARGUMENT */
export function checkInput<Input extends z.ZodObject>(schema: Input, values: Record<string, unknown>): z.infer<Input> {
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(schema.shape, key))
  if (unknown !== undefined) throw invalidArgument(unknown, unknownArgument(unknown, Object.keys(schema.shape)))
  const result = schema.safeParse(withoutNulls(values))
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

function unknownArgument(name: string, known: string[]): string {
  const shown = JSON.stringify(name.slice(0, 60))
  if (known.length === 0) return `Unknown argument ${shown}. This tool takes no arguments.`
  return `Unknown argument ${shown}. This tool takes: ${known.join(', ')}.`
}
