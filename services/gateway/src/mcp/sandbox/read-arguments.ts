import { invalidArgument } from '@family-inbox/service-kit/status-error'
import { checkInput } from '../family/check-input.ts'
import { type StartInput, startTool } from './start-tool.ts'

/**
 * Holds the arguments against their types. Whoever does not want a sandbox is told first where the real thing begins.
 * @throws StatusError INVALID_ARGUMENT naming the field
 */
export function readArguments(values: Record<string, unknown>, inboxUrl: string): StartInput {
  if (values.sandbox === true) return checkInput(startTool.input, values)
  throw invalidArgument(
    'sandbox',
    `sandbox must be true: only sandbox workspaces are opened here. For a real household a person signs in at ${inboxUrl}/sign-in. To open a sandbox, send sandbox: true.`,
  )
}
