import type { FormatCallback, HtmlToTextOptions } from 'html-to-text'
import { MAX_MARKUP_CHARS } from './limits.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL inside a tag name would hide the tag from the parser
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f]/g
const EMBEDDED_DATA = /\bdata:[\w/+.;=,-]{200,}/gi
const TEXTLESS = /<!--|<style\b|<script\b/gi
const CLOSERS: Record<string, RegExp> = {
  '<!--': /-->/g,
  '<style': /<\/style\b[^>]*>?/gi,
  '<script': /<\/script\b[^>]*>?/gi,
}

export type HtmlConverter = (html: string) => string

const SKIPPED = 'img style script title template svg math iframe object embed audio video canvas map select'.split(' ')
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

let library: Promise<HtmlConverter> | undefined

/** Converts at most MAX_MARKUP_CHARS of one mail. The library loads on first use to keep an idle service small. */
export async function loadHtmlConverter(): Promise<HtmlConverter> {
  library ??= import('html-to-text').then(({ compile }) => compile(OPTIONS))
  const convert = await library
  let remaining = MAX_MARKUP_CHARS
  return (html) => {
    const markup = shrinkMarkup(html).slice(0, remaining)
    remaining -= markup.length
    return convert(markup)
  }
}

export function looksLikeHtml(text: string): boolean {
  return /^\s{0,99}(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 200))
}

/** Drops everything but text first: the size limit cuts text last. Unclosed elements reach the end, as in browsers. */
function shrinkMarkup(html: string): string {
  const kept: string[] = []
  const source = html.replace(CONTROLS, '').replace(EMBEDDED_DATA, '')
  let position = 0
  for (;;) {
    TEXTLESS.lastIndex = position
    const opener = TEXTLESS.exec(source)
    if (!opener) return [...kept, source.slice(position)].join('')
    kept.push(source.slice(position, opener.index))
    const closer = CLOSERS[opener[0].toLowerCase()] as RegExp
    closer.lastIndex = opener.index + 2
    const closed = closer.exec(source)
    if (!closed) return kept.join('')
    position = closed.index + closed[0].length
  }
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
