import type { Caller } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import type { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Scope } from './scopes.ts'

export type ToolCall = {
  ctx: Context
  caller: Caller
  /** Passes the caller's principal and the deadline on to the service that does the work. */
  on: Required<CallOptions>
}

/**
 * A tool is data and one translated call. tools/list, the public catalogue, the scope check, the check of arguments and the
 * audit are all derived from it.
 */
export type Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string
  title: string
  /** One line, for the catalogue that anyone may read. */
  summary: string
  /** What an agent needs to know to use it well. */
  description: string
  kind: 'read' | 'write'
  /** None: any valid credential. */
  scope?: Scope
  /** Whether the call reaches people outside the household, by mail. */
  reachesOutside?: boolean
  input: Input
  output: Output
  call: (input: z.infer<Input>, call: ToolCall) => Promise<z.infer<Output>>
}

/** The identity function, there so that the compiler holds a tool's call to its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool {
  return tool as unknown as Tool
}
