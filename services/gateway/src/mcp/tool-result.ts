import type { Status } from '@family-inbox/service-kit/rpc/status-error'

/** The envelopes of tool results, as JSON text. This is the only place that writes `content`, `structuredContent` and `isError`. */

type Extras = {
  /** The same for people, in a text block of its own before the other. */
  summary?: string
  /** Which fields hold what outsiders wrote. */
  untrusted?: readonly string[]
}

/**
 * A success: the structured result, and the same JSON as text for clients that read only text. What outsiders wrote is named
 * in `_meta` for clients and in the result itself for models, ahead of the text it warns of.
 */
export function successResult(data: object, { summary, untrusted }: Extras = {}): string {
  const json = JSON.stringify(untrusted === undefined ? data : { untrusted, ...data })
  const texts = summary === undefined ? [json] : [summary, json]
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })))
  const meta = untrusted === undefined ? '' : `,"_meta":${JSON.stringify({ [UNTRUSTED_META]: untrusted })}`
  return `{"content":${content},"structuredContent":${json}${meta}}`
}

/** A key of our own, as MCP asks for (specification, "General fields", `_meta`). */
const UNTRUSTED_META = 'app.service/untrusted'

/** A refusal the model can act on: what is wrong, in plain words. */
export function errorResult(message: string): string {
  return JSON.stringify({ content: [{ type: 'text', text: message }], isError: true })
}

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
