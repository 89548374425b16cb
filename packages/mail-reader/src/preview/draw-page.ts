import { drawPixels } from './draw-picture.ts'
import type { Drawn } from './drawn.ts'
import { openDocument } from './pdfium.ts'

/** Draws one page of a PDF, no side longer than `side`, whatever size the page says it has. */
export async function drawPage(content: Uint8Array, page: number, side: number): Promise<Drawn> {
  const document = await openDocument(content)
  try {
    const pageCount = document.getPageCount()
    if (page >= pageCount) throw new Error('no such page')
    const drawn = document.getPage(page)
    const { originalWidth, originalHeight } = drawn.getOriginalSize()
    const longest = Math.max(originalWidth, originalHeight)
    if (!(originalWidth > 0 && originalHeight > 0)) throw new Error('an empty page')
    const width = Math.max(1, Math.round((originalWidth / longest) * side))
    const height = Math.max(1, Math.round((originalHeight / longest) * side))
    const { data } = await drawn.render({ scale: 1, width, height, render: 'bitmap' })
    return { ...drawPixels(data, width, height), pageCount }
  } finally {
    document.destroy()
  }
}
