import type { AuditEntry, Caller } from '@family-inbox/proto/auth/v1/auth'
import type { CallOptions } from '@family-inbox/service-kit/rpc/dial'
import type { CataloguedTool } from '@family-inbox/workspace-kit/tool-catalogue'
import type { z } from 'zod'
import type { Context } from '../../../context.ts'

/** A call, its caller, and where clients learn how to get more scopes. */
export type FamilyCall = { ctx: Context; caller: Caller; metadataUrl: string; clientAddress: string }

export type ToolCall = {
  ctx: Context
  caller: Caller
  clientAddress: string
  on: Required<Pick<CallOptions, 'token' | 'deadline'>>
  /** Keeps with the call's activity entry which message it read or answered. */
  recordMessage: (message: NonNullable<AuditEntry['message']>) => void
}

export type Confirmation<Input> = { question: string; input: Input }

/** A tool's description, schemas and call. Name, title, kind and scope are in the tool catalogue. */
export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  description: string
  /** Whether the call sends mail to people outside the family. */
  reachesOutside?: boolean
  /** Whether it can wait until a member approves it. */
  proposes?: boolean
  /** Whether hosts that can show a card with its result. */
  hasCard?: boolean
  /** Result fields with text that outsiders wrote, such as `messages[].subject`. `newText?` is named only where it is. */
  untrusted?: readonly string[]
  input: Input
  output: Output
  call: (input: z.infer<Input>, call: ToolCall) => Promise<z.infer<Output>>
  /** Asks the person first, when the client can: a question, and the input that does exactly what it says. */
  confirmation?: (input: z.infer<Input>, call: ToolCall) => Promise<Confirmation<z.infer<Input>>>
}

/** tools/list, the public catalogue, the scope check, the argument check and the audit are all derived from this. */
export type Tool = CataloguedTool & ToolDefinition

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition {
  return definition as unknown as ToolDefinition
}
