import { safeFileName } from '@family-inbox/service-kit/rpc/export-files'

type FileType = { contentType: string; starts: (bytes: Buffer) => boolean; extensions: readonly [string, ...string[]] }

const startsWith = (start: string) => (bytes: Buffer) => bytes.subarray(0, start.length).toString('latin1') === start

/**
 * The formats that a family may send: they run nothing, and a clinic can open them. HEIC is missing, because most clinics cannot:
 * iPhones convert it when a page asks for JPEG.
 */
const TYPES: readonly FileType[] = [
  { contentType: 'image/jpeg', starts: startsWith('\xff\xd8\xff'), extensions: ['jpg', 'jpeg'] },
  { contentType: 'image/png', starts: startsWith('\x89PNG\r\n\x1a\n'), extensions: ['png'] },
  {
    contentType: 'image/gif',
    starts: (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)),
    extensions: ['gif'],
  },
  {
    contentType: 'image/webp',
    starts: (bytes) => startsWith('RIFF')(bytes) && startsWith('WEBP')(bytes.subarray(8)),
    extensions: ['webp'],
  },
  { contentType: 'application/pdf', starts: startsWith('%PDF-'), extensions: ['pdf'] },
]

/** The type that the first bytes prove; what the sender says does not count. */
export function fileTypeOf(bytes: Uint8Array): FileType | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return TYPES.find(({ starts }) => starts(buffer))
}

/** A name without a path, control characters or a misleading extension. */
export function attachmentName(name: string, { extensions }: Pick<FileType, 'extensions'>): string {
  const cleaned = safeFileName(name.split(/[/\\]/).at(-1) ?? '')
  const extension = /\.(\w+)$/.exec(cleaned)?.[1]?.toLowerCase() ?? ''
  return extensions.includes(extension) ? cleaned : `${cleaned}.${extensions[0]}`
}
