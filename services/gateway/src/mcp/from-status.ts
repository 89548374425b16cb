import type { Status } from '@family-inbox/service-kit/status-error'

/**
 * What a service's refusal becomes on the wire: `tool` is a tool result with isError that the model can act on, `retry` the
 * JSON-RPC error -32603 that says to try again, `limited` what was done too often: a tool result in its
 * own words on the family tool server, where 429 is for the call limit alone, and 429 on the sandbox endpoint. Total: the compiler asks for every status.
 */
export const fromStatus: Record<Status, 'tool' | 'retry' | 'limited'> = {
  INVALID_ARGUMENT: 'tool',
  NOT_FOUND: 'tool',
  ALREADY_EXISTS: 'tool',
  PERMISSION_DENIED: 'tool',
  FAILED_PRECONDITION: 'tool',
  RESOURCE_EXHAUSTED: 'limited',
  UNAUTHENTICATED: 'retry',
  UNAVAILABLE: 'retry',
  DEADLINE_EXCEEDED: 'retry',
  INTERNAL: 'retry',
}
