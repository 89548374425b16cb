/** What kind of file something is, in a word; by its type, else by the end of its name. */
export function fileKind(contentType: string, filename: string): string {
  const byType = KINDS.find(([pattern]) => pattern.test(contentType))
  if (byType) return byType[1]
  const extension = /\.(\w{1,5})$/.exec(filename)?.[1]
  return extension ? `${extension.toUpperCase()} file` : 'File'
}

const KINDS: [RegExp, string][] = [
  [/^application\/pdf$/, 'PDF'],
  [/^image\//, 'Picture'],
  [/^audio\//, 'Sound'],
  [/^video\//, 'Video'],
  [/^text\/calendar$|^application\/ics$/, 'Calendar entry'],
  [/^text\/plain$/, 'Text'],
  [/wordprocessingml|^application\/msword$|opendocument\.text/, 'Document'],
  [/spreadsheetml|^application\/vnd\.ms-excel$|opendocument\.spreadsheet|^text\/csv$/, 'Table'],
  [/^application\/zip$|compressed/, 'Archive'],
  [/^message\//, 'Mail'],
]

/** A size as people say it. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}
