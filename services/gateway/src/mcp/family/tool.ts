import type { Caller } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import { type CataloguedTool, TOOLS, type ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
import type { z } from 'zod'
import type { Context } from '../../context.ts'

export type ToolCall = {
  ctx: Context
  caller: Caller
  /** Passes the caller's principal and the deadline on to the service that does the work. */
  on: Required<Pick<CallOptions, 'token' | 'deadline'>>
}

/** What is known of a tool here only: how to use it well, and its one translated call. */
export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  /** What an agent needs to know to use it well. */
  description: string
  /** Whether the call reaches people outside the household, by mail. */
  reachesOutside?: boolean
  /** The fields of its result that hold what outsiders wrote, such as `messages[].subject`. Each result names them. */
  untrusted?: readonly string[]
  input: Input
  output: Output
  call: (input: z.infer<Input>, call: ToolCall) => Promise<z.infer<Output>>
}

/**
 * A tool is data and one translated call. tools/list, the public catalogue, the scope check, the check of arguments and the
 * audit are all derived from it.
 */
export type Tool = CataloguedTool & ToolDefinition

/** Joins a tool to its line in the catalogue; the compiler holds its call to its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  name: ToolName,
  definition: ToolDefinition<Input, Output>,
): Tool {
  const catalogued = TOOLS.find((tool) => tool.name === name)
  return { ...catalogued, ...definition } as unknown as Tool
}
