type Declarations = ReadonlyMap<string, string>

const EM_PX = 16
/** Further out than any design moves its text. */
const FAR_AWAY_PX = -500
const NOTHING_PX = 1
const MOVING = ['left', 'top', 'right', 'bottom', 'margin-left', 'margin-top', 'text-indent']
const SIZES = ['height', 'max-height', 'max-width']
const NONE: Declarations = new Map()

/** The declarations of a style attribute or a rule, in lower case. The last of a name counts. */
export function readDeclarations(style: string): Declarations {
  if (style === '') return NONE
  const declarations = new Map<string, string>()
  for (const declaration of plainCss(style).split(';')) {
    const colon = declaration.indexOf(':')
    const value = declaration.slice(colon + 1).replace(/!\s*important/, '')
    if (colon > 0) declarations.set(declaration.slice(0, colon).trim(), value.trim())
  }
  return declarations
}

/** Whether nothing inside can be seen, whatever it declares itself. */
export function conceals(declarations: Declarations): boolean {
  if (declarations.size === 0) return false
  const read = (name: string) => declarations.get(name) ?? ''
  const isNothing = (name: string) => pixelsOf(read(name)) <= NOTHING_PX
  return (
    read('display') === 'none' ||
    /^(?:hidden|collapse)$/.test(read('visibility')) ||
    Number.parseFloat(read('opacity')) <= 0.05 ||
    MOVING.some((name) => pixelsOf(read(name)) <= FAR_AWAY_PX) ||
    (read('overflow').startsWith('hidden') && !declarations.has('min-height') && SIZES.some(isNothing)) ||
    isClipped(read('clip'), read('clip-path'))
  )
}

function isClipped(clip: string, path: string): boolean {
  const corners = clip.startsWith('rect(') ? (clip.match(/\d+/g) ?? []) : []
  return (corners.length > 0 && corners.every((corner) => Number(corner) <= 1)) || /^inset\((?:50|100)%/.test(path)
}

/** The size that is declared, in pixels. Undefined if it stays what it is around. */
export function fontPixels(declarations: Declarations): number | undefined {
  const size = sizeOf(declarations)
  if (size === '' || size === 'inherit') return undefined
  const pixels = pixelsOf(size)
  // Others are words, such as medium.
  return Number.isNaN(pixels) ? EM_PX : pixels
}

export function isRelativeFont(declarations: Declarations): boolean {
  return /(?:[^r]em|%)$/.test(sizeOf(declarations))
}

/** `font` has the size before a slash or the family (CSS Fonts 4, section 2.7). */
function sizeOf(declarations: Declarations): string {
  const short = /(?:^|\s)(0|[\d.]+(?:px|pt|r?em|%))[\s/]/.exec(declarations.get('font') ?? '')?.[1] ?? ''
  return declarations.get('font-size') ?? short
}

/** NaN for anything but a length. */
function pixelsOf(value: string): number {
  const [, number = '', unit = 'px'] = /^(-?[\d.]+)(px|pt|em|rem|%)?$/.exec(value) ?? []
  if (number === '') return Number.NaN
  if (unit === '%') return (Number(number) * EM_PX) / 100
  return Number(number) * (unit.endsWith('em') ? EM_PX : 1)
}

/** Without comments and escapes, which hide what a declaration says. */
function plainCss(css: string): string {
  return css
    .toLowerCase()
    .replace(/\/\*[^*]*\*\//g, '')
    .replace(/\\([\da-f]{1,6}) ?/g, (_, code: string) => characterOf(Number.parseInt(code, 16)))
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** The classes and ids, as `.name` and `#name`, that a style sheet conceals on every screen: rules inside of `@media` do not count. */
export function concealedNames(sheets: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { selectors, body } of topRules(sheets)) {
    if (!conceals(readDeclarations(body))) continue
    for (const selector of selectors.split(',')) {
      const name = /^[a-z\d]*([.#][\w-]+)$/.exec(selector.trim().toLowerCase())?.[1]
      if (name !== undefined) names.add(name)
    }
  }
  return names
}

function* topRules(sheets: string): Generator<{ selectors: string; body: string }> {
  const css = sheets.replace(/\/\*[^*]*\*\/|<!--|-->/g, '')
  let depth = 0
  let start = 0
  let open = 0
  for (const { 0: brace, index } of css.matchAll(/[{}]/g)) {
    depth = Math.max(0, depth + (brace === '{' ? 1 : -1))
    if (brace === '{' && depth === 1) open = index
    if (brace === '{' || depth > 0) continue
    const before = css.slice(start, open)
    const selectors = before.slice(before.lastIndexOf(';') + 1)
    if (!selectors.includes('@')) yield { selectors, body: css.slice(open + 1, index) }
    start = index + 1
  }
}
