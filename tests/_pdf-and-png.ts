import { crc32, deflateSync } from 'node:zlib'

/** A PDF with these pages: the content of each, and its width and height in points. */
export function pdfOf(pages: string[], [width, height] = [595, 842]): Uint8Array {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
  const kids = pages.map((content) => {
    const packed = deflateSync(content).toString('latin1')
    objects.push(`<< /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`)
    const box = `/MediaBox [0 0 ${width} ${height}]`
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    return objects.push(`<< /Type /Page /Parent 2 0 R ${box} /Contents ${objects.length} 0 R ${resources} >>`)
  })
  objects[1] = `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] /Count ${kids.length} >>`
  return assemble(objects)
}

type Entries = { catalog?: string; pages?: string; page?: string; resources?: string; trailer?: string }

/**
 * A PDF with one page, with entries of your own in its dictionaries.
 * @param more objects, by number from 6
 */
export function pdfPage(content: string, entries: Entries = {}, more: string[] = []): Uint8Array {
  const { catalog = '', pages = '', page = '', resources = '', trailer = '' } = entries
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [4 0 R] /Count 1 ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${page} /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> ${resources} >> >>`,
    streamOf(content),
  ]
  return assemble([...objects, ...more], trailer)
}

/** A stream object. */
export function streamOf(content: string, entries = ''): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
}

const LINE = 180

/** A PDF with any letters, small, in lines that fit on the page, without empty ones. Its font has no shapes, but says which letter each shape is. */
export function pdfOfLetters(pages: string[]): Uint8Array {
  const letters = [...new Set(pages.join(''))]
  const hex = (number: number) => number.toString(16).padStart(4, '0')
  const utf16 = (letter: string) =>
    [...Buffer.from(letter, 'utf16le').swap16()].map((byte) => hex(byte).slice(2)).join('')
  const map = letters.map((letter, at) => `1 beginbfchar\n<${hex(at + 1)}> <${utf16(letter)}>\nendbfchar`).join('\n')
  const cmap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Letters def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${map}
endcmap end end`
  const font = '/BaseFont /Letters /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type0 /BaseFont /Letters /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>',
    `<< /Type /Font /Subtype /CIDFontType2 ${font} >>`,
    streamOf(cmap),
  ]
  const kids = pages.map((page) => {
    const lines = page.split('\n').flatMap((line) => chunksOf([...line], LINE))
    const shown = lines.map((line) => `<${line.map((letter) => hex(letters.indexOf(letter) + 1)).join('')}> Tj T*`)
    objects.push(streamOf(`BT /F1 6 Tf 7 TL 10 820 Td ${shown.join('\n')} ET`))
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    return objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${objects.length} 0 R ${resources} >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] /Count ${kids.length} >>`
  return assemble(objects)
}

function chunksOf<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** A small PDF whose page takes more memory than a thread may use, so that reading it ends the thread. */
export function pdfThatEndsItsThread(): Uint8Array {
  return pdfOf(['q 0 0 1 1 re W n BT /F1 1 Tf (a) Tj ET '.repeat(2_000_000)])
}

/** A PDF that opens only with a password, which nobody knows. */
export function lockedPdf(): Uint8Array {
  const check = `<${'5a'.repeat(32)}>`
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${check} /U ${check} /P -4 >> /ID [<00> <00>]`
  return assemble(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'], encrypt)
}

/**
 * Objects by number from 1; the first is the catalog.
 * @param trailer what else its trailer says
 */
export function assemble(objects: string[], trailer = ''): Uint8Array {
  const parts = ['%PDF-1.4\n', ...objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`)]
  let length = 0
  const offsets = parts.map((part) => {
    const offset = length
    length += part.length
    return offset
  })
  const rows = offsets.slice(1).map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`)
  const end = `trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF`
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  return new Uint8Array(Buffer.from(parts.join('') + table + end, 'latin1'))
}

/** A PNG with a left and a right half, as red, green, blue and alpha. It compresses well at any size. */
export function pngOf(width: number, height: number, left = [200, 30, 30, 255], right = left): Uint8Array {
  const half = Math.ceil(width / 2)
  const halves = [Buffer.alloc(half * 4, Buffer.from(left)), Buffer.alloc((width - half) * 4, Buffer.from(right))]
  const row = Buffer.concat([Buffer.from([0]), ...halves])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const pixels = deflateSync(Buffer.alloc(row.length * height, row), { level: 1 })
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
