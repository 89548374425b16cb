import { PDFiumLibrary } from '@hyzyla/pdfium'

const WASM_PAGE_BYTES = 64 * 1024
const MAX_MEMORY_BYTES = 192 * 1024 * 1024

let library: Promise<PDFiumLibrary> | undefined

/** PDFium runs no scripts. */
export function openLibrary(): Promise<PDFiumLibrary> {
  library ??= loadWithinMemory()
  return library
}

type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number }

/** Memory of WebAssembly is not part of a thread's resource limits. */
function loadWithinMemory(): Promise<PDFiumLibrary> {
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
