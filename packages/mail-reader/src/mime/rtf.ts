import { codepageLabel, decodeCharset } from './charset.ts'

export type RtfText = { kind: 'plain' | 'html'; text: string }

const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,9})? ?|\\'([\da-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|[^\\{}\r\n]+|\\/g
const SNIFFED_CHARS = 2000
const MAX_DEPTH = 10_000

/** Groups that hold no text of the letter. */
const SKIPPED = new Set(
  'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf themedata colorschememapping latentstyles datastore listtable listoverridetable rsidtbl generator xmlnstbl fldinst filetbl revtbl'.split(
    ' ',
  ),
)
const SYMBOLS: Record<string, string> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
}
const ESCAPED: Record<string, string> = {
  '~': '\u00a0',
  _: '-',
  '{': '{',
  '}': '}',
  '\\': '\\',
  '\n': '\n',
  '\r': '\n',
}
/** Windows character sets of fonts and their code pages. */
const FONT_PAGES: Record<number, number> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

type Group = { isSkipped: boolean; isRtfOnly: boolean; unicodeSkip: number; page: number }

/** The text of an RTF document, or the HTML it was made from (MS-OXRTFEX). Takes linear time. */
export function readRtf(bytes: Buffer): RtfText {
  const source = bytes.toString('latin1')
  const isHtml = source.slice(0, SNIFFED_CHARS).includes('\\fromhtml1')
  return { kind: isHtml ? 'html' : 'plain', text: new RtfReader(source, isHtml).read() }
}

class RtfReader {
  readonly #source: string
  readonly #isHtml: boolean
  readonly #pieces: string[] = []
  readonly #groups: Group[] = []
  readonly #pageOfFont = new Map<number, number>()
  #group: Group = { isSkipped: false, isRtfOnly: false, unicodeSkip: 1, page: 1252 }
  #documentPage = 1252
  #font = 0
  #isOptional = false
  #toSkip = 0
  #bytes: number[] = []

  constructor(source: string, isHtml: boolean) {
    this.#source = source
    this.#isHtml = isHtml
  }

  read(): string {
    TOKEN.lastIndex = 0
    for (let token = TOKEN.exec(this.#source); token; token = TOKEN.exec(this.#source)) this.#take(token)
    this.#flush()
    return this.#pieces.join('')
  }

  #take([all, word, value, hex, escaped, brace]: RegExpExecArray) {
    const optional = this.#isOptional
    this.#isOptional = escaped === '*'
    if (hex !== undefined) return this.#byte(Number.parseInt(hex, 16))
    this.#flush()
    if (word !== undefined) this.#control(word, value === undefined ? undefined : Number(value), optional)
    else if (brace !== undefined) this.#changeGroup(brace)
    else if (escaped !== undefined) this.#put(ESCAPED[escaped] ?? '')
    else if (!/^[\\\r\n]/.test(all)) this.#plain(all)
  }

  #changeGroup(brace: string) {
    if (brace === '}') this.#group = this.#groups.pop() ?? this.#group
    else if (this.#groups.length < MAX_DEPTH) this.#groups.push({ ...this.#group })
  }

  #control(word: string, value: number | undefined, optional: boolean) {
    const isTag = word === 'htmltag' && this.#isHtml
    if (!isTag && (optional || SKIPPED.has(word))) this.#group.isSkipped = true
    else if (Object.hasOwn(SYMBOLS, word)) this.#put(SYMBOLS[word] ?? '')
    else if (Object.hasOwn(RtfReader.controls, word))
      RtfReader.controls[word as keyof typeof RtfReader.controls](this, value)
  }

  /** Control words that change how the text is read. */
  static readonly controls = {
    htmlrtf: (reader: RtfReader, value?: number) => {
      reader.#group.isRtfOnly = value !== 0
    },
    bin: (_reader: RtfReader, value = 0) => {
      TOKEN.lastIndex += Math.max(0, value)
    },
    uc: (reader: RtfReader, value = 1) => {
      reader.#group.unicodeSkip = Math.min(10, Math.max(0, value))
    },
    u: (reader: RtfReader, value = 0) => reader.#unicode(value),
    ansicpg: (reader: RtfReader, value = 1252) => {
      reader.#documentPage = reader.#group.page = value
    },
    f: (reader: RtfReader, value = 0) => reader.#useFont(value),
    fcharset: (reader: RtfReader, value = 0) => reader.#pageOfFont.set(reader.#font, FONT_PAGES[value] ?? 0),
  }

  #useFont(font: number) {
    this.#font = font
    this.#group.page = this.#pageOfFont.get(font) || this.#documentPage
  }

  /** Characters for older readers follow. */
  #unicode(code: number) {
    this.#put(String.fromCharCode(code & 0xffff))
    this.#toSkip = this.#group.unicodeSkip
  }

  #byte(byte: number) {
    if (this.#toSkip > 0) this.#toSkip -= 1
    else this.#bytes.push(byte)
  }

  #plain(text: string) {
    const skipped = Math.min(this.#toSkip, text.length)
    this.#toSkip -= skipped
    const kept = text.slice(skipped)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the question is whether there is anything beyond ASCII
    if (/^[\x00-\x7f]*$/.test(kept)) this.#put(kept)
    else this.#put(this.#decode(Buffer.from(kept, 'latin1')))
  }

  #flush() {
    if (this.#bytes.length > 0) this.#put(this.#decode(Buffer.from(this.#bytes)))
    this.#bytes = []
  }

  #decode(bytes: Buffer): string {
    return decodeCharset(bytes, codepageLabel(this.#group.page))
  }

  #put(text: string) {
    const { isSkipped, isRtfOnly } = this.#group
    if (!isSkipped && !(isRtfOnly && this.#isHtml)) this.#pieces.push(text)
  }
}
