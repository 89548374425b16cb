import type { Status } from '@family-inbox/service-kit/rpc/status-error'
import { type Asked, resultEnvelope } from '../json-rpc/envelope.ts'

/** MCP "General fields", `_meta`, asks for a prefixed key. */
const UNTRUSTED_META = 'app.service/untrusted'

type Extras = {
  /** The result in words, in a text block before the JSON. */
  summary?: string
  untrusted?: readonly string[]
}

/** The text repeats the JSON, for clients that read only text. `untrusted` is first, so that models read it first. */
export function successResult(asked: Asked, data: object, { summary, untrusted }: Extras = {}): string {
  const json = JSON.stringify(untrusted === undefined ? data : { untrusted, ...data })
  const texts = summary === undefined ? [json] : [summary, json]
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })))
  const meta = untrusted && JSON.stringify({ [UNTRUSTED_META]: untrusted })
  return resultEnvelope(asked, `{"content":${content},"structuredContent":${json}}`, { meta })
}

/** Builds a tool error in words that a model can act on. */
export function errorResult(asked: Asked, message: string): string {
  return resultEnvelope(asked, JSON.stringify({ content: [{ type: 'text', text: message }], isError: true }))
}

/** `tool`: a tool error. `retry`: -32603. `limited`: a tool error for a family, 429 on the sandbox endpoint. */
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
