import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { z } from 'zod'

/**
 * Holds arguments against a tool's schema and fills in defaults. An argument that is null was not given: models write null for
 * what they leave out.
 * @throws StatusError INVALID_ARGUMENT naming the field, in words a model can act on
 */
export function checkInput<Input extends z.ZodObject>(schema: Input, values: Record<string, unknown>): z.infer<Input> {
  const unknown = Object.keys(values).find((key) => !Object.hasOwn(schema.shape, key))
  if (unknown !== undefined) throw invalidArgument(unknown, unknownArgument(unknown, Object.keys(schema.shape)))
  const result = schema.safeParse(withoutNulls(values))
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw invalidArgument(String(issue?.path[0] ?? ''), issue?.message ?? 'The arguments are not valid.')
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

function unknownArgument(name: string, known: string[]): string {
  const shown = JSON.stringify(name.slice(0, 60))
  if (known.length === 0) return `There is no argument ${shown}: this tool takes none.`
  return `There is no argument ${shown}. This tool takes: ${known.join(', ')}.`
}
