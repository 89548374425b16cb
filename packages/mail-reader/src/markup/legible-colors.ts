import Color, { type ColorInstance } from 'color'

type Attributes = Record<string, string>
type Colors = {
  background: ColorInstance
  /** As the sender chose it. */
  text: ColorInstance
  /** The sender's choice, or another color if that one is illegible. */
  shown: ColorInstance
}

export type LegibleColors = {
  /** Call at each start tag, then `apply` if the tag is kept, and `close` at its end tag. */
  open(): void
  apply(tag: string, attributes: Attributes): Attributes
  close(): void
}

/** Designs go down to about 2, such as white on orange; white text without its background has 1. */
const MIN_CONTRAST = 2
/** For links in the browser's own color, which no designer chose for this background. */
const MIN_LINK_CONTRAST = 3
const WHITE = Color('#fff')
/** The text color of the frame. */
const INK = Color('#1d2327')
const LINK = Color('#0000ee')
const TEXT_COLOR = /^color\s*:/i
const BACKGROUND = /^background(?:-color)?\s*:/i
const FUNCTION = /\b[a-z-]+\([^()]*(?:\([^()]*\)[^()]*)*\)/gi
const COLOR_FUNCTION = /^rgba?\(/i
/** Longer values hold images as data. */
const MAX_VALUE = 300

/** Keeps background colors, and replaces text colors that are illegible without the removed images and style sheets. */
export function createLegibleColors(): LegibleColors {
  const stack: Colors[] = [{ background: WHITE, text: INK, shown: INK }]
  return {
    open() {
      stack.push(stack.at(-1) as Colors)
    },
    apply(tag, attributes) {
      const around = stack.at(-2) as Colors
      const own = readColors(tag, attributes)
      if (own.text === undefined && own.background === undefined) return attributes
      const now = resolve(own, around)
      stack[stack.length - 1] = now
      const inherited = own.isLink ? LINK : around.shown
      return { ...attributes, style: styleOf(own, now, inherited) }
    },
    close() {
      if (stack.length > 1) stack.pop()
    },
  }
}

type OwnColors = {
  text: ColorInstance | undefined
  background: ColorInstance | undefined
  /** In the browser's own color. */
  isLink: boolean
  declarations: string[]
}

function resolve({ text, background, isLink }: OwnColors, around: Colors): Colors {
  const now = { text: text ?? around.text, background: blend(background, around.background) }
  const isLegible = now.text.contrast(now.background) >= (isLink ? MIN_LINK_CONTRAST : MIN_CONTRAST)
  return { ...now, shown: isLegible ? now.text : legibleOn(now.background) }
}

function styleOf({ text, background, isLink, declarations }: OwnColors, now: Colors, inherited: ColorInstance): string {
  const declared = text !== undefined && !isLink ? text : inherited
  const isReplaced = declared.hex() !== now.shown.hex()
  return [
    ...declarations.filter((declaration) => !(isReplaced && TEXT_COLOR.test(declaration))),
    ...(background ? [`background-color:${background.rgb().string()}`] : []),
    ...(isReplaced ? [`color:${now.shown.hex()}`] : []),
  ].join(';')
}

/** The colors an element declares. */
export function readColors(tag: string, { style = '', bgcolor = '', color = '' }: Attributes): OwnColors {
  let text = tag === 'font' ? colorOf(color) : undefined
  let background = colorOf(bgcolor)
  const declarations = style
    .split(';')
    .map((declaration) => declaration.replace(/!\s*important/i, '').trim())
    .filter((declaration) => declaration !== '')
  for (const declaration of declarations) {
    const value = declaration.slice(declaration.indexOf(':') + 1)
    if (TEXT_COLOR.test(declaration)) text = colorOf(value) ?? text
    else if (BACKGROUND.test(declaration)) background = backgroundOf(value) ?? background
  }
  const isLink = tag === 'a' && text === undefined
  return { text: isLink ? LINK : text, background, isLink, declarations }
}

function backgroundOf(value: string): ColorInstance | undefined {
  if (value.length > MAX_VALUE) return undefined
  const functions = value.match(FUNCTION)?.filter((name) => COLOR_FUNCTION.test(name)) ?? []
  const words = value.replace(FUNCTION, ' ').split(/[\s,]+/)
  return [...functions, ...words].map(colorOf).find((color) => color !== undefined)
}

function colorOf(value: string): ColorInstance | undefined {
  const name = value.trim().toLowerCase()
  if (name === '' || name.length > 40) return undefined
  try {
    return Color(/^[\da-f]{6}$/.test(name) ? `#${name}` : name)
  } catch {
    return undefined
  }
}

export function blend(top: ColorInstance | undefined, below: ColorInstance): ColorInstance {
  return top === undefined ? below : below.mix(top.alpha(1), top.alpha())
}

function legibleOn(background: ColorInstance): ColorInstance {
  return background.isDark() ? WHITE : INK
}
