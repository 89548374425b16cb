import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium'
import { type DocumentProblem, UnreadableDocument } from './drawn.ts'

const WASM_PAGE_BYTES = 64 * 1024
const MAX_MEMORY_BYTES = 192 * 1024 * 1024

/** By the message of the library's error, which has no code. */
const PROBLEMS: Record<string, DocumentProblem> = {
  'Password required or incorrect password': 'locked',
  'Unsupported security scheme': 'locked',
  'File not in PDF format or corrupted': 'damaged',
}

/** Opens a PDF. PDFium runs no scripts. @throws UnreadableDocument */
export async function openDocument(content: Uint8Array): Promise<PDFiumDocument> {
  try {
    return await (await openLibrary()).loadDocument(content)
  } catch (error) {
    const problem = PROBLEMS[(error as Error).message]
    throw problem === undefined ? error : new UnreadableDocument(problem)
  }
}

let library: Promise<PDFiumLibrary> | undefined

function openLibrary(): Promise<PDFiumLibrary> {
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
