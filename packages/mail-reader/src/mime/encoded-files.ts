/** Files that a text holds in an encoding older than MIME, and the text without them. */
export type FilesInText = { text: string; files: { filename: string; content: Buffer }[] }

const UU_BEGIN = /^begin(?:-base64)? [0-7]{3,4} +(\S.{0,254}?)\s*$/
const Y_BEGIN = /^=ybegin .{0,200}?name=(.{1,255}?)\s*$/
const MAX_FILES = 100

/** @param text as Latin-1 characters, so that bytes stay what they are. Undefined if it holds no file. Takes linear time. */
export function findFilesInText(text: string): FilesInText | undefined {
  if (!/^(?:begin|=ybegin)[ -]/m.test(text)) return undefined
  const lines = text.split('\n')
  const kept: string[] = []
  const files: FilesInText['files'] = []
  for (let index = 0; index < lines.length; index += 1) {
    const found = files.length < MAX_FILES ? fileAt(lines, index) : undefined
    if (found === undefined) kept.push(lines[index] ?? '')
    else {
      files.push({ filename: found.filename, content: found.content })
      index = found.last
    }
  }
  return files.length === 0 ? undefined : { text: kept.join('\n'), files }
}

type FoundFile = { filename: string; content: Buffer; last: number }

function fileAt(lines: string[], index: number): FoundFile | undefined {
  const line = lines[index] ?? ''
  if (line.startsWith('begin')) {
    const filename = UU_BEGIN.exec(line)?.[1]
    if (filename === undefined) return undefined
    return line.startsWith('begin-') ? base64File(lines, index, filename) : uuFile(lines, index, filename)
  }
  const filename = line.startsWith('=ybegin') ? Y_BEGIN.exec(line)?.[1] : undefined
  return filename === undefined ? undefined : yFile(lines, index, filename)
}

/** Every line must be one of the file, up to the end: a letter may quote a "begin". */
function uuFile(lines: string[], begin: number, filename: string): FoundFile | undefined {
  const pieces: Buffer[] = []
  for (let index = begin + 1; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').replace(/\r$/, '')
    if (/^end\s*$/.test(line)) return { filename, content: Buffer.concat(pieces), last: index }
    const piece = uuLine(line)
    if (piece === undefined) return undefined
    pieces.push(piece)
  }
  return undefined
}

/** Its first character says how many bytes it holds (POSIX uuencode). Transport may have removed spaces at its end. */
function uuLine(line: string): Buffer | undefined {
  if (line.trim() === '') return Buffer.alloc(0)
  const size = (line.charCodeAt(0) - 0x20) & 0x3f
  const length = Math.ceil(size / 3) * 4
  if (!/^[\x20-\x60]*$/.test(line) || line.length > length + 3) return undefined
  const piece = Buffer.alloc((length / 4) * 3)
  const sixBits = (at: number) => ((line.charCodeAt(at + 1) || 0x20) - 0x20) & 0x3f
  for (let at = 0, to = 0; at < length; at += 4, to += 3)
    piece.writeUIntBE((sixBits(at) << 18) | (sixBits(at + 1) << 12) | (sixBits(at + 2) << 6) | sixBits(at + 3), to, 3)
  return piece.subarray(0, size)
}

function base64File(lines: string[], begin: number, filename: string): FoundFile | undefined {
  for (let index = begin + 1; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim()
    if (line === '====')
      return { filename, content: Buffer.from(lines.slice(begin + 1, index).join(''), 'base64'), last: index }
    if (!/^[A-Za-z\d+/=]{0,200}$/.test(line)) return undefined
  }
  return undefined
}

/** yEnc 1.3: each byte plus 42, critical ones escaped. */
function yFile(lines: string[], begin: number, filename: string): FoundFile | undefined {
  const first = lines[begin + 1]?.startsWith('=ypart ') ? begin + 2 : begin + 1
  const bytes: Buffer[] = []
  for (let index = first; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').replace(/\r$/, '')
    if (line.startsWith('=yend')) return { filename, content: Buffer.concat(bytes), last: index }
    if (line.startsWith('=ybegin ')) return undefined
    bytes.push(yLine(line))
  }
  return undefined
}

function yLine(line: string): Buffer {
  const decoded = Buffer.alloc(line.length)
  let length = 0
  for (let at = 0; at < line.length; at += 1) {
    const isEscape = line[at] === '='
    if (isEscape) at += 1
    decoded[length++] = (line.charCodeAt(at) - 42 - (isEscape ? 64 : 0)) & 0xff
  }
  return decoded.subarray(0, length)
}
