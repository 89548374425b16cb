import Negotiator from 'negotiator'

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t\\x20-\\x7e])*"'
const PARAMETER = `[ \\t]*(${TOKEN})=(${TOKEN}|${QUOTED})`
/** A trailing semicolon is allowed (RFC 9110 section 5.6.6). */
const RANGE = new RegExp(`^(?:\\*/\\*|(?!\\*/)${TOKEN}/${TOKEN})(?:[ \\t]*;(?:${PARAMETER})?)*[ \\t]*$`)
const PARAMETERS = new RegExp(`;${PARAMETER}`, 'g')
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Picks the preferred type (RFC 9110 section 12.5.1); the first without a valid range, undefined if none is acceptable. */
export function chooseType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  const ranges = splitList(accept ?? '').filter(isRange)
  if (ranges.length === 0) return offered[0]
  return new Negotiator({ headers: { accept: ranges.join(',') } }).mediaType(offered) as Type | undefined
}

/** Checks a range against the grammar, because negotiator accepts invalid ones such as `q=2`. */
function isRange(member: string): boolean {
  if (!RANGE.test(member)) return false
  const parameters = [...member.matchAll(PARAMETERS)]
  const weights = parameters.filter(([, name = '']) => name.toLowerCase() === 'q')
  return weights.length <= 1 && weights.every(([, , value = '']) => WEIGHT.test(value))
}

function splitList(header: string): string[] {
  const members: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at <= header.length; at += 1) {
    const character = header[at]
    if (isQuoted && character === '\\') at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (at >= header.length || (character === ',' && !isQuoted)) {
      members.push(header.slice(start, at).trim())
      start = at + 1
    }
  }
  return members
}
