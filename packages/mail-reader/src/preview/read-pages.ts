import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { type AttachmentKey, readAttachment } from '../mime/attachments.ts'
import { problemOf } from './drawn.ts'
import { endThread } from './end-thread.ts'
import { createMarkReader, type MarksModule } from './marked-content.ts'
import { openDocument } from './pdfium.ts'

/** A long report; what is beyond is for the download. */
const MAX_PAGES = 20
const MAX_CHARACTERS = 50_000
/** A page may hold a million characters on top of each other. */
const MAX_LOOKS = 200_000
/** A smaller letter is no text that a person reads. In points. */
const MIN_SIZE = 2
/** Each of red, green and blue of what counts as white. */
const WHITE = 240
/** Of 255. What is more transparent is not seen. */
const MIN_OPACITY = 32
/** PDF 32000-1, 9.3.6: neither filled nor stroked; and clipping alone. */
const INVISIBLE_MODES = new Set([3, 7])
/** Only their outline is drawn. */
const OUTLINE_MODES = new Set([1, 5])

/** What PDFium has beyond its library's own types. Numbers are addresses in its memory. */
type Module = MarksModule & {
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(textPage: number): void
  _FPDFText_CountChars(textPage: number): number
  _FPDFText_GetUnicode(textPage: number, index: number): number
  _FPDFText_IsGenerated(textPage: number, index: number): number
  _FPDFText_GetTextObject(textPage: number, index: number): number
  _FPDFTextObj_GetTextRenderMode(textObject: number): number
  _FPDFText_GetFillColor: GetColor
  _FPDFText_GetStrokeColor: GetColor
  _FPDFText_GetLooseCharBox(textPage: number, index: number, box: number): number
  _FPDF_GetPageBoundingBox(page: number, box: number): number
}

type GetColor = (textPage: number, index: number, red: number, green: number, blue: number, alpha: number) => number

export type FileTextTask = { raw: Uint8Array<ArrayBuffer>; key: AttachmentKey }

/** Runs in a worker thread: the text of a PDF of a mail; undefined if the mail has no such file, and if it is locked or damaged. */
export async function readFileText({ raw, key }: FileTextTask): Promise<string | undefined> {
  const file = readAttachment(raw, key)
  return file && readPages(file.content).catch(withoutText).catch(endThread)
}

function withoutText(error: unknown): undefined {
  problemOf(error)
}

/**
 * The text of a PDF that a person sees. Left out: text that is drawn invisibly, in white (what is behind it is not known) or in less than
 * two points, in a layer, or shown as other letters, and what is outside of the page. Pictures of text have none.
 * @throws UnreadableDocument if it is damaged or needs a password
 */
export async function readPages(content: Uint8Array): Promise<string> {
  const document = await openDocument(content)
  try {
    const pages: string[] = []
    let [left, looks] = [MAX_CHARACTERS, MAX_LOOKS]
    for (let page = 0; page < Math.min(document.getPageCount(), MAX_PAGES) && left > 0 && looks > 0; page += 1) {
      const { module, pageIdx } = document.getPage(page) as unknown as { module: Module; pageIdx: number }
      const read = readPage(module, pageIdx, { left, looks })
      pages.push(read.text)
      left -= read.text.length
      looks -= read.looks
    }
    const read = pages.map((text) =>
      text
        .toWellFormed()
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
        .join('\n'),
    )
    return cleanText(read.filter(Boolean).join('\n\n'))
  } finally {
    document.destroy()
  }
}

type Budget = { left: number; looks: number }

function readPage(module: Module, page: number, { left, looks }: Budget): { text: string; looks: number } {
  const textPage = module._FPDFText_LoadPage(page)
  if (textPage === 0) throw new Error('a page without text')
  const scratch = module.wasmExports.malloc(32)
  using marks = createMarkReader(module)
  try {
    const modeOf = (object: number) =>
      marks.mayHide(object) ? undefined : module._FPDFTextObj_GetTextRenderMode(object)
    const isVisible = visibility(module, { textPage, page, scratch, modeOf })
    const count = Math.min(module._FPDFText_CountChars(textPage), looks)
    let text = ''
    for (let index = 0; index < count && text.length < left; index += 1) {
      const unit = module._FPDFText_GetUnicode(textPage, index)
      // PDFium adds spaces and ends of lines, which no font draws.
      const isSpace = module._FPDFText_IsGenerated(textPage, index) === 1
      if (unit !== 0 && (isSpace || isVisible(index))) text += toText(unit)
    }
    return { text, looks: count }
  } finally {
    module.wasmExports.free(scratch)
    module._FPDFText_ClosePage(textPage)
  }
}

function toText(unit: number): string {
  return unit === 13 || unit > 0x10_ff_ff ? '' : String.fromCodePoint(unit)
}

type Page = {
  textPage: number
  page: number
  scratch: number
  /** Undefined for a text that the page may not show. */
  modeOf(object: number): number | undefined
}

function visibility(module: Module, { textPage, page, scratch, modeOf }: Page): (index: number) => boolean {
  const view = () => new DataView(module.HEAPU8.buffer, scratch, 32)
  const readBox = () => [0, 4, 8, 12].map((offset) => view().getFloat32(offset, true)) as Box
  module._FPDF_GetPageBoundingBox(page, scratch)
  const sheet = readBox()
  const modes = new Map<number, number | undefined>()
  const knownModeOf = (index: number) => {
    const object = module._FPDFText_GetTextObject(textPage, index)
    if (!modes.has(object)) modes.set(object, modeOf(object))
    return modes.get(object)
  }
  const isInked = (index: number, mode: number | undefined) => {
    if (mode === undefined || INVISIBLE_MODES.has(mode)) return false
    const [red, green, blue, alpha] = [scratch, scratch + 4, scratch + 8, scratch + 12] as const
    const getColor = OUTLINE_MODES.has(mode) ? '_FPDFText_GetStrokeColor' : '_FPDFText_GetFillColor'
    if (module[getColor](textPage, index, red, green, blue, alpha) === 0) return true
    const [opacity = 0, ...color] = [12, 0, 4, 8].map((offset) => view().getUint32(offset, true))
    return opacity >= MIN_OPACITY && Math.min(...color) <= WHITE
  }
  const isReadable = (index: number) =>
    module._FPDFText_GetLooseCharBox(textPage, index, scratch) === 1 && isOfSizeOn(sheet, readBox())
  return (index) => isReadable(index) && isInked(index, knownModeOf(index))
}

type Box = [left: number, top: number, right: number, bottom: number]

function isOfSizeOn(sheet: Box, [left, top, right, bottom]: Box): boolean {
  const isOn = right >= sheet[0] && left <= sheet[2] && top >= sheet[3] && bottom <= sheet[1]
  return isOn && Math.max(right - left, top - bottom) >= MIN_SIZE
}
