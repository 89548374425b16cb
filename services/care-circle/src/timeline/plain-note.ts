import { cleanLine, cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'

const READ_FACTOR = 8

const COMMENT = /<!--.*?(?:-->|$)/gs
const SILENT_ELEMENT = /<(script|style)\b.*?(?:<\/\1\s*>|$)/gis
const BREAK = /<(?:br\s*\/?|\/(?:p|div|li|tr|h[1-6]))>/gi
const TAG = /<\/?[a-z][\w:-]*(?:\s[^<>]*)?\/?>/gi
const LOOKS_LIKE_A_TAG = /<(?=[a-z/!?])/gi

/** Text that only looks like a tag ("temp <normal") stays, with a space that defuses it. */
export function plainText(text: string, max: number): string {
  return shorten(cleanText(withoutMarkup(cleanText(text.slice(0, max * READ_FACTOR)))), max)
}

export function plainLine(text: string, max: number): string {
  return shorten(cleanLine(withoutMarkup(cleanLine(text.slice(0, max * READ_FACTOR)))), max)
}

function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text
  return text
    .replace(COMMENT, '')
    .replace(SILENT_ELEMENT, '')
    .replace(BREAK, '\n')
    .replace(TAG, '')
    .replace(LOOKS_LIKE_A_TAG, '< ')
}

function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cut(text, max - 1).trimEnd()}…`
}
