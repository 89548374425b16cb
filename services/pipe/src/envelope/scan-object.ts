type Scan = { kind: 'object'; members: ReadonlyMap<string, string> } | { kind: 'too deep' } | { kind: 'repeated' }

type Scanning = {
  text: string
  maxDepth: number
  /** For each open object its names so far; undefined for an array. */
  open: (Set<string> | undefined)[]
  isName: boolean
  members: Map<string, string>
  name: string
  valueAt: number
}

/** Scans for exact member texts (2.50 stays 2.50), repeated names and depth. Not recursive. @param text valid JSON */
export function scanObject(text: string, maxDepth: number): Scan {
  const scanning: Scanning = { text, maxDepth, open: [], isName: false, members: new Map(), name: '', valueAt: 0 }
  const marks = /["{}[\],:]/g
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const problem = take[found[0] as Mark](scanning, found.index, marks)
    if (problem !== undefined) return { kind: problem }
  }
  return { kind: 'object', members: scanning.members }
}

type Problem = 'too deep' | 'repeated' | undefined

type Mark = '{' | '[' | '}' | ']' | ',' | ':' | '"'

const take: Record<Mark, (scanning: Scanning, at: number, marks: RegExp) => Problem> = {
  '{': (scanning) => open(scanning, new Set()),
  '[': (scanning) => open(scanning, undefined),
  '}': close,
  ']': close,
  ',': endValue,
  ':': beginValue,
  '"': takeString,
}

function open(scanning: Scanning, names: Set<string> | undefined): Problem {
  if (scanning.open.length === scanning.maxDepth) return 'too deep'
  scanning.open.push(names)
  scanning.isName = names !== undefined
  return undefined
}

function close(scanning: Scanning, at: number): Problem {
  endValue(scanning, at)
  scanning.open.pop()
  return undefined
}

function beginValue(scanning: Scanning, at: number): Problem {
  scanning.isName = false
  if (scanning.open.length === 1) scanning.valueAt = at + 1
  return undefined
}

function endValue(scanning: Scanning, at: number): Problem {
  const { open: levels, members, name, text, valueAt } = scanning
  const names = levels.at(-1)
  if (levels.length === 1 && names !== undefined && names.size > members.size)
    members.set(name, text.slice(valueAt, at).trim())
  scanning.isName = names !== undefined
  return undefined
}

function takeString(scanning: Scanning, at: number, marks: RegExp): Problem {
  const end = endOfString(scanning.text, at)
  marks.lastIndex = end + 1
  if (!scanning.isName) return undefined
  const name = JSON.parse(scanning.text.slice(at, end + 1)) as string
  const names = scanning.open.at(-1)
  if (names?.has(name)) return 'repeated'
  names?.add(name)
  if (scanning.open.length === 1) scanning.name = name
  return undefined
}

const QUOTE = 34
const BACKSLASH = 92

function endOfString(text: string, at: number): number {
  let end = at + 1
  for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(end)) end += code === BACKSLASH ? 2 : 1
  return end
}
