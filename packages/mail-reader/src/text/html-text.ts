import type { DomNode, FormatCallback, HtmlToTextOptions } from 'html-to-text'
import { MAX_MARKUP_CHARS } from '../mime/limits.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL inside a tag name would hide the tag from the parser
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f]/g
const EMBEDDED_DATA = /\bdata:[\w/+.;=,-]{200,}/gi
const TEXTLESS = /<!--|<style\b|<script\b/gi
const CLOSERS: Record<string, RegExp> = {
  '<!--': /-->/g,
  '<style': /<\/style\b[^>]*>?/gi,
  '<script': /<\/script\b[^>]*>?/gi,
}

/** To what a reader sees as text. If it is only to be compared, furniture.ts marks what the markup sets apart. */
export type HtmlConverter = (html: string, use?: 'show' | 'compare') => string

const SKIPPED =
  'img style script title template svg math iframe object embed audio video canvas map select datalist noembed noframes'.split(
    ' ',
  )
const HIDDEN = ['[hidden]', '[style*="display:none"i]', '[style*="display: none"i]', '[style*="mso-hide:all"i]']
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  baseElements: { selectors: [] },
  limits: { maxDepth: 200, maxInputLength: undefined, ellipsis: '' },
  formatters: { link: formatLink, cell: formatCell, quote: formatQuote },
  selectors: [
    ...[...SKIPPED, ...HIDDEN].map((selector) => ({ selector, format: 'skip' })),
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'a', format: 'link', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    { selector: 'blockquote', format: 'quote' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
  ],
}

const MAX_QUOTE_DEPTH = 8

/** The first element of every document we convert: its formatter runs before the others. */
const FIRST = 'fi-first'

type Library = (markup: string, sheets: string, use: 'show' | 'compare') => string

let library: Promise<Library> | undefined

/** Converts at most MAX_MARKUP_CHARS of one mail, and compares as much. The library loads on first use to keep an idle service small. */
export async function loadHtmlConverter(): Promise<HtmlConverter> {
  library ??= loadLibrary()
  const convert = await library
  const remaining = { show: MAX_MARKUP_CHARS, compare: MAX_MARKUP_CHARS }
  return (html, use = 'show') => {
    const { markup, sheets } = shrinkMarkup(html)
    const kept = markup.slice(0, remaining[use])
    remaining[use] -= kept.length
    return convert(kept, sheets, use)
  }
}

async function loadLibrary(): Promise<Library> {
  const [{ compile }, { removeHiddenText }, { markFurniture }] = await Promise.all([
    import('html-to-text'),
    import('./hidden-text.ts'),
    import('./furniture.ts'),
  ])
  let sheetsOfMail = ''
  let isCompared = false
  const removeHidden = (element: DomNode) => {
    const { parent } = element
    // Only ours is the first of the document: a mail may contain such an element, too.
    if (!parent || parent.parent || parent.children[0] !== element) return
    removeHiddenText(parent.children, sheetsOfMail)
    if (isCompared) markFurniture(parent.children)
  }
  const convert = compile({
    ...OPTIONS,
    formatters: { ...OPTIONS.formatters, first: removeHidden },
    selectors: [...(OPTIONS.selectors ?? []), { selector: FIRST, format: 'first' }],
  })
  return (markup, sheets, use) => {
    sheetsOfMail = sheets
    isCompared = use === 'compare'
    return convert(`<${FIRST}></${FIRST}>${markup}`)
  }
}

const TAG = /<[^<>]*>?/g
const ENTITY = /&(?:([a-z])(?:uml|acute|grave|circ|tilde|cedil|ring)|#(\d{1,7})|#x([\da-f]{1,6})|[a-z\d]{2,31});/gi

/** The text between the tags, hidden or not: at least the words of a conversion, at a fraction of its time. */
export function withoutTags(html: string): string {
  const text = shrinkMarkup(html).markup.slice(0, MAX_MARKUP_CHARS).replace(TAG, ' ')
  return text.replace(ENTITY, (_, letter?: string, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '20', 16) : Number(decimal)
    return letter ?? (code <= 0x10ffff ? String.fromCodePoint(code) : ' ')
  })
}

export function looksLikeHtml(text: string): boolean {
  return /^\s{0,99}(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 200))
}

/** Drops everything but text first: the size limit cuts text last. Unclosed elements reach the end, as in browsers. */
function shrinkMarkup(html: string): { markup: string; sheets: string } {
  const kept: string[] = []
  const sheets: string[] = []
  const result = () => ({ markup: kept.join(''), sheets: sheets.join('\n') })
  const source = html.replace(CONTROLS, '').replace(EMBEDDED_DATA, '')
  let position = 0
  for (;;) {
    TEXTLESS.lastIndex = position
    const opener = TEXTLESS.exec(source)
    kept.push(source.slice(position, opener?.index))
    if (!opener) return result()
    const closer = CLOSERS[opener[0].toLowerCase()] as RegExp
    closer.lastIndex = opener.index + 2
    const closed = closer.exec(source)
    if (!closed) return result()
    if (opener[0].toLowerCase() === '<style') sheets.push(sheetOf(source.slice(opener.index, closed.index)))
    position = closed.index + closed[0].length
  }
}

function sheetOf(element: string): string {
  return element.slice(element.indexOf('>') + 1)
}

/** Shows the address only if a person could open it; not for `javascript:`, `data:` and anchors. */
function formatLink(...[element, walk, builder, options]: Parameters<FormatCallback>) {
  const href = String(element.attribs?.href ?? '').trim()
  if (/^(?:https?|mailto|tel):/i.test(href)) builder.options.formatters?.anchor?.(element, walk, builder, options)
  else walk(element.children, builder)
}

/** Keeps cells apart: "Glucose" and "95" must not become one word. */
function formatCell(...[element, walk, builder]: Parameters<FormatCallback>) {
  walk(element.children, builder)
  builder.addInline(' ')
}

/** Deep quotes get no more `>`, or every line would be mostly markers. */
function formatQuote(...[element, walk, builder, options]: Parameters<FormatCallback>) {
  let depth = 0
  for (let parent = element.parent; parent && depth < MAX_QUOTE_DEPTH; parent = parent.parent) {
    if (parent.name === 'blockquote') depth += 1
  }
  const format = depth < MAX_QUOTE_DEPTH ? 'blockquote' : 'block'
  builder.options.formatters?.[format]?.(element, walk, builder, options)
}
