/** As many letters as a ligature stands for, in any script. More is another text than the page shows. */
const MAX_REPLACEMENT = 4
const REPLACEMENT = 'ActualText'
/** PDF 32000-1, 8.11.3: content of a layer, which may be switched off. */
const LAYER = 'OC'
const NAME_BYTES = 16
/** Programs nest a few. */
const MAX_MARKS = 50

/** What PDFium has beyond its library's own types. Numbers are addresses in its memory. */
export type MarksModule = {
  HEAPU8: Uint8Array
  wasmExports: { malloc(bytes: number): number; free(address: number): void }
  _FPDFPageObj_CountMarks(object: number): number
  _FPDFPageObj_GetMark(object: number, index: number): number
  _FPDFPageObjMark_GetName(mark: number, buffer: number, bytes: number, length: number): number
  _FPDFPageObjMark_GetParamStringValue(mark: number, key: number, buffer: number, bytes: number, length: number): number
}

/**
 * Whether marks on a text say that a page may show something else: a layer, or a longer text to read in place of the letters. Which
 * layers are switched off is not known. Dispose it with the page.
 */
export function createMarkReader(module: MarksModule): Disposable & { mayHide(object: number): boolean } {
  const key = module.wasmExports.malloc(REPLACEMENT.length + 1)
  const length = module.wasmExports.malloc(4)
  const name = module.wasmExports.malloc(NAME_BYTES)
  module.HEAPU8.set(Buffer.from(`${REPLACEMENT}\0`, 'latin1'), key)
  const readLength = () => new DataView(module.HEAPU8.buffer, length, 4).getUint32(0, true)
  /** Texts are UTF-16 with an end. */
  const lettersOf = (bytes: number) => bytes / 2 - 1

  const isLayer = (mark: number) => {
    if (module._FPDFPageObjMark_GetName(mark, name, NAME_BYTES, length) === 0) return false
    const letters = lettersOf(readLength())
    if (letters !== LAYER.length) return false
    return Buffer.from(module.HEAPU8.slice(name, name + 2 * letters)).toString('utf16le') === LAYER
  }
  const isReplaced = (mark: number) =>
    module._FPDFPageObjMark_GetParamStringValue(mark, key, 0, 0, length) !== 0 &&
    lettersOf(readLength()) > MAX_REPLACEMENT

  return {
    mayHide(object) {
      const count = module._FPDFPageObj_CountMarks(object)
      if (count > MAX_MARKS) return true
      for (let index = 0; index < count; index += 1) {
        const mark = module._FPDFPageObj_GetMark(object, index)
        if (isLayer(mark) || isReplaced(mark)) return true
      }
      return false
    },
    [Symbol.dispose]() {
      for (const address of [key, length, name]) module.wasmExports.free(address)
    },
  }
}
