import Color, { type ColorInstance } from 'color'
import type { DomNode } from 'html-to-text'
import { blend, readColors } from '../markup/legible-colors.ts'
import { concealedNames, conceals, fontPixels, isRelativeFont, readDeclarations } from './hiding-styles.ts'

type Sheet = {
  /** Classes and ids that it conceals. */
  names: ReadonlySet<string>
  paintsBackgrounds: boolean
}

type Look = {
  text: ColorInstance
  /** Undefined on a picture, and where a style sheet may set any color. */
  background: ColorInstance | undefined
  isTiny: boolean
  isFaint: boolean
}

/** Deeper elements are not converted. */
const MAX_DEPTH = 250
const MAX_TINY_PX = 1
/** Light gray on white has 1.2. */
const MIN_CONTRAST = 1.2
const WHITE = Color('#fff')
const INK = Color('#000')
const PAINTED = /\b(?:url|gradient)\(/

/** Empties what a reader of the HTML does not see: assistants must not read more than people do. Takes the style sheets, too. */
export function removeHiddenText(nodes: readonly DomNode[], sheets: string): void {
  const sheet = { names: concealedNames(sheets), paintsBackgrounds: /background/i.test(sheets) }
  const background = sheet.paintsBackgrounds ? undefined : WHITE
  for (const node of nodes) keepVisible(node, { text: INK, background, isTiny: false, isFaint: false }, sheet, 0)
}

/** @returns whether anything in it can be seen */
function keepVisible(node: DomNode, around: Look, sheet: Sheet, depth: number): boolean {
  if (node.type === 'text') return keepText(node, around)
  if (node.type !== 'tag') return false
  const declarations = readDeclarations(node.attribs?.style ?? '')
  if (depth > MAX_DEPTH || conceals(declarations) || isNamed(node, sheet)) return drop(node)
  const look = lookOf(node, declarations, aroundIn(node, sheet, around))
  let isSeen = node.name === 'img'
  for (const child of node.children) if (keepVisible(child, look, sheet, depth + 1)) isSeen = true
  // The address of a link is shown even without a text.
  if (node.name === 'a' && !isSeen && isInvisible(look)) return drop(node)
  return isSeen
}

/** A blank keeps the words around it apart. */
function keepText(node: DomNode, look: Look): boolean {
  if (isInvisible(look)) node.data = ' '
  return /\S/.test(node.data ?? '')
}

function drop(node: DomNode): false {
  node.attribs = { hidden: '' }
  node.children = []
  return false
}

function isInvisible({ isTiny, isFaint }: Look): boolean {
  return isTiny || isFaint
}

function isNamed({ attribs }: DomNode, { names }: Sheet): boolean {
  if (names.size === 0) return false
  const classes = String(attribs?.class ?? '').split(/\s+/)
  return names.has(`#${attribs?.id}`.toLowerCase()) || classes.some((name) => names.has(`.${name}`.toLowerCase()))
}

/** A style sheet may paint what has a class or an id. */
function aroundIn({ attribs }: DomNode, { paintsBackgrounds }: Sheet, around: Look): Look {
  return paintsBackgrounds && (attribs?.class || attribs?.id) ? { ...around, background: undefined } : around
}

function lookOf(node: DomNode, declarations: ReadonlyMap<string, string>, around: Look): Look {
  const isTiny = isTinyIn(declarations, around)
  const { style, color, bgcolor, background, text } = node.attribs ?? {}
  const hasColors = [style, color, bgcolor, background, text].some(Boolean)
  if (!hasColors && !(node.name === 'a' && around.isFaint)) return { ...around, isTiny }
  return { ...colorsOf(node, declarations, around), isTiny }
}

function isTinyIn(declarations: ReadonlyMap<string, string>, { isTiny }: Look): boolean {
  const pixels = fontPixels(declarations)
  if (pixels === undefined || (isTiny && isRelativeFont(declarations))) return isTiny
  return pixels <= MAX_TINY_PX
}

function colorsOf({ name = '', attribs = {} }: DomNode, declarations: ReadonlyMap<string, string>, around: Look) {
  const { bgcolor = '', color = '', text: bodyText = '', background: picture = '' } = attribs
  const style = [`color:${bodyText}`, ...[...declarations].map((pair) => pair.join(':'))].join(';')
  const own = readColors(name, { bgcolor, color, style })
  const text = own.text ?? around.text
  const isPainted =
    picture !== '' || PAINTED.test(`${declarations.get('background')} ${declarations.get('background-image')}`)
  const background = isPainted ? undefined : backgroundOf(own.background, around.background)
  const isFaint = background === undefined ? text.alpha() === 0 : contrastOf(text, background) < MIN_CONTRAST
  return { text, background, isFaint }
}

function backgroundOf(own: ColorInstance | undefined, around: ColorInstance | undefined): ColorInstance | undefined {
  if (own?.alpha() === 1) return own
  return around && blend(own, around)
}

function contrastOf(text: ColorInstance, background: ColorInstance): number {
  return blend(text, background).contrast(background)
}
