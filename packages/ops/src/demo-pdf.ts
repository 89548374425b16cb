const TOP = 740
const LEFT = 64
const LINE = 20

/**
 * A letter of one page (PDF 1.4, ISO 32000), on US Letter paper.
 * @param lines ASCII; the first is the heading, an empty one leaves space
 */
export function demoPdf(lines: readonly string[]): Buffer {
  const content = lines.flatMap((line, index) => (line === '' ? [] : [textAt(line, index)])).join('\n')
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  return toFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    font('Courier'),
  ])
}

function textAt(line: string, index: number): string {
  // Columns need letters of one width.
  const font = index === 0 ? 'F2 18' : /\s{2}/.test(line) ? 'F3 11' : 'F1 12'
  const escaped = line.replaceAll(/[\\()]/g, '\\$&')
  return `BT /${font} Tf ${LEFT} ${TOP - index * LINE} Td (${escaped}) Tj ET`
}

/** Objects, where each begins, and where that table is. */
function toFile(objects: string[]): Buffer {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${rows}${trailer}`, 'latin1')
}
