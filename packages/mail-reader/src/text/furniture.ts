import type { DomNode } from 'html-to-text'
import { fontPixels, readDeclarations } from './hiding-styles.ts'

const ELEMENTS = new Set(['nav', 'footer', 'button', 'small'])
const ROLES = new Set(['navigation', 'contentinfo'])
const MAX_SMALL_PX = 11
/** Deeper elements are not converted. */
const MAX_DEPTH = 250

/** In front of a text; removed from the source of every mail. */
export const FURNITURE_MARK = '\u0001'

/** Marks what the markup of a letter sets apart from its text: navigation, footers, buttons and small print. */
export function markFurniture(nodes: readonly DomNode[], isInside = false, depth = 0): void {
  for (const node of nodes) {
    if (node.type === 'text' && isInside) node.data = FURNITURE_MARK + (node.data ?? '')
    if (node.type !== 'tag' || depth > MAX_DEPTH) continue
    markFurniture(node.children, isInside || isFurniture(node), depth + 1)
  }
}

function isFurniture({ name = '', attribs = {} }: DomNode): boolean {
  const pixels = fontPixels(readDeclarations(attribs.style ?? ''))
  if (pixels !== undefined) return pixels > 0 && pixels <= MAX_SMALL_PX
  return ELEMENTS.has(name) || ROLES.has(attribs.role ?? '') || (name === 'font' && attribs.size === '1')
}
