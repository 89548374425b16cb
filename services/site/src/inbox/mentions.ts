export type Named = { personId: string; name: string }

/** Longer names first: “@Ana Maria” is not Ana. */
export function findMentions(text: string, named: readonly Named[]): string[] {
  const folded = fold(text)
  const members = named.map(({ personId, name }) => ({ personId, name: fold(name) }))
  const found = new Set<string>()
  for (let at = folded.indexOf('@'); at !== -1; at = folded.indexOf('@', at + 1)) {
    if (/[\p{L}\p{N}]/u.test(folded[at - 1] ?? '')) continue
    for (const personId of namedAt(folded.slice(at + 1), members)) found.add(personId)
  }
  return [...found]
}

/** The members whose full name begins here, or else everyone with that first name. Expects folded names. */
function namedAt(rest: string, members: readonly Named[]): string[] {
  const begins = (name: string) =>
    name !== '' && rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length))
  const full = members.filter(({ name }) => begins(name))
  const longest = Math.max(...full.map(({ name }) => name.length))
  if (full.length > 0) return full.filter(({ name }) => name.length === longest).map(({ personId }) => personId)
  return members.filter(({ name }) => begins(name.split(' ')[0] ?? '')).map(({ personId }) => personId)
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}
