import { PDFiumLibrary } from '@hyzyla/pdfium'
import { drawPixels } from './draw-picture.ts'
import type { Drawn } from './drawn.ts'

const WASM_PAGE_BYTES = 64 * 1024
const MAX_MEMORY_BYTES = 192 * 1024 * 1024

let library: Promise<PDFiumLibrary> | undefined

/** Draws one page of a PDF, no side longer than `side`, whatever size the page says it has. PDFium runs no scripts. */
export async function drawPage(content: Uint8Array, page: number, side: number): Promise<Drawn> {
  library ??= openLibrary()
  const document = await (await library).loadDocument(content)
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

type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number }

/** Memory of WebAssembly is not part of a thread's resource limits. */
function openLibrary(): Promise<PDFiumLibrary> {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = function growWithinLimit(this: Memory, pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > MAX_MEMORY_BYTES) throw new RangeError('too much memory')
    return grow.call(this, pages)
  }
  // The library reports each failed allocation.
  console.error = () => {}
  return PDFiumLibrary.init()
}
