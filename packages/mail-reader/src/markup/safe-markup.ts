import sanitize, { type IOptions, type Tag } from 'sanitize-html'
import { createLegibleColors } from './legible-colors.ts'

export type InlinePicture = { contentId: string; contentType: string; content: Uint8Array }

export type SafeMarkup = {
  html: string
  remoteContentRemoved: boolean
}

/** Formats that every browser shows and none executes. */
const PICTURE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** Per mail: the response must fit into one gRPC message. */
const MAX_PICTURE_BYTES = 1536 * 1024

const SIZE = /^\d{1,4}(?:\.\d+)?(?:px|pt|em|rem|%)?$/
const SIZES = /^(?:(?:\d{1,4}(?:\.\d+)?(?:px|pt|em|rem|%)?|auto)\s*){1,4}$/
const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|rgba?\([\d\s.,%/]{1,40}\))$/i
const WORD = /^[a-z-]{1,20}$/i
const BORDER = /^[a-z\d\s.#(),%-]{1,60}$/i

const STYLES = {
  color: [COLOUR],
  'background-color': [COLOUR],
  'font-size': [SIZE, WORD],
  'font-weight': [/^(?:\d{3}|bold|normal)$/],
  'font-style': [WORD],
  'text-align': [WORD],
  'text-decoration': [WORD],
  'vertical-align': [WORD],
  'white-space': [WORD],
  'line-height': [SIZE],
  'list-style-type': [WORD],
  width: [SIZE],
  'max-width': [SIZE],
  padding: [SIZES],
  margin: [SIZES],
  border: [BORDER],
  'border-top': [BORDER],
  'border-bottom': [BORDER],
  'border-collapse': [WORD],
}

const ALLOWED_TAGS = new Set([...sanitize.defaults.allowedTags, 'img', 'center', 'font', 'del', 'ins'])
const TABLE_ATTRIBUTES = ['align', 'valign', 'width', 'bgcolor', 'colspan', 'rowspan', 'cellpadding', 'cellspacing']

/** Removes what runs, submits, frames or loads from another host. The frame’s policy forbids the same again. */
export function safeMarkup(markup: string, pictures: InlinePicture[]): SafeMarkup {
  let remoteContentRemoved = false
  const inline = inlinePictures(pictures)
  const colors = createLegibleColors()
  const options: IOptions = {
    allowedTags: [...ALLOWED_TAGS],
    disallowedTagsMode: 'discard',
    allowedAttributes: {
      '*': ['style', 'dir', 'lang', 'title', 'align'],
      a: ['href', 'target', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      font: ['color', 'size'],
      table: [...TABLE_ATTRIBUTES, 'border'],
      td: TABLE_ATTRIBUTES,
      th: [...TABLE_ATTRIBUTES, 'scope'],
      tr: TABLE_ATTRIBUTES,
      col: TABLE_ATTRIBUTES,
      ol: ['start', 'type'],
    },
    allowedStyles: { '*': STYLES },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    transformTags: {
      a: (tagName, attribs) => ({
        tagName,
        attribs: { ...attribs, target: '_blank', rel: 'noopener noreferrer nofollow' },
      }),
      img: (tagName, { src = '', ...attribs }) => {
        const data = inline(src)
        if (data !== undefined) return { tagName, attribs: { ...attribs, alt: attribs.alt ?? '', src: data } }
        if (/^\s*(?:https?:)?\/\//i.test(src)) remoteContentRemoved = true
        return describePicture(attribs)
      },
      body: (_tagName, { text = '', style = '', bgcolor = '' }) => ({
        tagName: 'div',
        attribs: { bgcolor, style: `color:${text};${style}` },
      }),
      '*': (tagName, attribs) => ({
        tagName,
        attribs: ALLOWED_TAGS.has(tagName) ? colors.apply(tagName, attribs) : attribs,
      }),
    },
    onOpenTag: () => colors.open(),
    onCloseTag: () => colors.close(),
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src && !attribs.title,
    nestingLimit: 100,
  }
  const html = sanitize(cutWhereTooDeep(markup), options)
  return { html, remoteContentRemoved: remoteContentRemoved || /url\([\s'"]*(?:https?:)?\/\//i.test(markup) }
}

/** The parser's time is quadratic in this. Real mail nests a tenth of it. */
const MAX_DEPTH = 1000
const TAG = /<(\/?)([a-z][a-z\d]*)/gi
/** Elements that are empty or that their next sibling closes. */
const NEVER_DEEP = /^(?:area|br|col|dd|dt|hr|img|input|li|link|meta|option|p|source|td|th|tr|wbr)$/i

/** Leaves out the rest of a mail that only an attacker writes. */
function cutWhereTooDeep(markup: string): string {
  let depth = 0
  for (const { 1: slash, 2: name = '', index } of markup.matchAll(TAG)) {
    if (NEVER_DEEP.test(name)) continue
    depth = Math.max(0, depth + (slash ? -1 : 1))
    if (depth > MAX_DEPTH) return markup.slice(0, index)
  }
  return markup
}

function describePicture({ alt = '', style = '' }: Record<string, string>): Tag {
  return { tagName: 'span', attribs: { title: alt, style }, text: alt }
}

function inlinePictures(pictures: InlinePicture[]): (src: string) => string | undefined {
  const urls = new Map<string, string>()
  let remaining = MAX_PICTURE_BYTES
  for (const { contentId, contentType, content } of pictures) {
    if (!PICTURE_TYPES.has(contentType) || content.length > remaining) continue
    remaining -= content.length
    urls.set(contentId, `data:${contentType};base64,${Buffer.from(content).toString('base64')}`)
  }
  return (src) => (/^\s*cid:/i.test(src) ? urls.get(decode(src.trim().slice('cid:'.length))) : undefined)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
