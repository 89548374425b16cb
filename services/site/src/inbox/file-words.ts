import { sizeWords } from '../shell/parts.ts'

const KINDS: [RegExp, string][] = [
  [/^application\/pdf$/, 'PDF'],
  [/^image\//, 'Image'],
  [/^audio\//, 'Audio'],
  [/^video\//, 'Video'],
  [/^text\/calendar$|^application\/ics$/, 'Calendar event'],
  [/^text\/plain$/, 'Text'],
  [/wordprocessingml|^application\/msword$|opendocument\.text/, 'Document'],
  [/spreadsheetml|^application\/vnd\.ms-excel$|opendocument\.spreadsheet|^text\/csv$/, 'Spreadsheet'],
  [/^application\/zip$|compressed/, 'Archive'],
  [/^message\//, 'Message'],
]

export function fileKind(contentType: string, filename: string): string {
  const byType = KINDS.find(([pattern]) => pattern.test(contentType))
  if (byType) return byType[1]
  const extension = /\.(\w{1,5})$/.exec(filename)?.[1]
  return extension ? `${extension.toUpperCase()} file` : 'File'
}

export function fileFacts({ contentType, filename, size }: { contentType: string; filename: string; size: number }) {
  return `${fileKind(contentType, filename)}, ${sizeWords(size)}`
}
