/** The envelopes of tool results, as JSON text. This is the only place that writes `content`, `structuredContent` and `isError`. */

/**
 * A success: the structured result, and the same JSON as text for clients that read only text.
 * @param summary the same for people, in a text block of its own before the other
 */
export function successResult(data: object, summary?: string): string {
  const json = JSON.stringify(data)
  const texts = summary === undefined ? [json] : [summary, json]
  const content = JSON.stringify(texts.map((text) => ({ type: 'text', text })))
  return `{"content":${content},"structuredContent":${json}}`
}

/** A refusal the model can act on: what is wrong, in plain words. */
export function errorResult(message: string): string {
  return JSON.stringify({ content: [{ type: 'text', text: message }], isError: true })
}
