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
