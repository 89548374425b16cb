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

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}
