import type { ExecutionContext } from 'ava'

/** A result as a client gets it. */
// biome-ignore lint/suspicious/noExplicitAny: results of every tool
export type Result = { content: { type: string; text: string }[]; structuredContent: any; _meta?: any }

/** What may be outside of the named fields: ids, times, and words from lists of ours. */
const OWN_WORD =
  /^(?:|[a-z]+_[0-9a-z]+|\d{4}-\d\d-\d\dT[\d:.]+Z|verified|not_verified|unknown|appointment|results|medication|billing|insurance|care_plan|automated|other|open)$/
/** Controls, direction marks, invisible characters and lone surrogates. */
const UNFIT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in a result
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]|\u034f|\p{Cs}/u

/** Outsiders' text is in the fields that the result names, and everything else in it is ours. */
export function speaksForItself(
  t: ExecutionContext,
  { content, structuredContent, _meta }: Result,
  what: string,
): void {
  const { untrusted = [], nextCursor: _, ...data } = structuredContent
  t.deepEqual(content, [{ type: 'text', text: JSON.stringify(structuredContent) }], what)
  t.deepEqual(_meta?.['app.service/untrusted'], untrusted, what)
  for (const [path, text] of textsOf(data)) {
    t.notRegex(text, UNFIT, `${what}: ${path}`)
    if (!untrusted.some((field: string) => path === field || path.startsWith(`${field}.`)))
      t.regex(text, OWN_WORD, `${what}: ${path}`)
  }
}

/** Every text of a result, with its path as `untrusted` writes it. */
function* textsOf(value: unknown, path = ''): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value)) for (const one of value) yield* textsOf(one, `${path}[]`)
  else if (value !== null && typeof value === 'object')
    for (const [name, one] of Object.entries(value)) yield* textsOf(one, path === '' ? name : `${path}.${name}`)
}
