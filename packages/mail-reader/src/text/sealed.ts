import type { MimePart } from '../mime/mime-part.ts'

/** Stands where an encrypted text would be: on pages, in previews, for tools. */
export const SEALED =
  'This message is encrypted, so it cannot be read here. Ask the sender to send it again without encryption (S/MIME or PGP), or to call you.'

const ENCRYPTED_BLOCK = /^-----BEGIN PGP MESSAGE-----[ \t]*$/m
const END = '-----END PGP MESSAGE-----'
/** Header lines, base64 and a checksum (RFC 9580 section 6.2). */
const ARMOR_LINE = /^(?:[A-Za-z\d+/=]{0,200}|[A-Za-z-]{1,30}: .{0,300})$/
const SIGNED_BLOCK =
  /^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\r?\n(?:[A-Za-z-]{1,30}:[^\n]{0,300}\n){0,10}[ \t]*\r?\n/m
const SIGNATURE = /^-----BEGIN PGP SIGNATURE-----[ \t]*\r?$/m
const SIGNATURE_END = '-----END PGP SIGNATURE-----'

/** Encrypted S/MIME and PGP/MIME (RFC 3156 section 4). */
export function isSealed(part: MimePart): boolean {
  return part.isEncrypted === true || (part.type === 'multipart/encrypted' && part.children.length > 0)
}

/** Says of text in PGP armor (RFC 9580 section 7) that it is encrypted, and removes the armor of a signature. */
export function openArmor(text: string): string {
  return text.includes('-----BEGIN PGP ') ? withoutSignature(withoutEncryption(text)) : text
}

function withoutEncryption(text: string): string {
  const kept: string[] = []
  let rest = text
  for (let begin = ENCRYPTED_BLOCK.exec(rest); begin; begin = ENCRYPTED_BLOCK.exec(rest)) {
    const start = begin.index + begin[0].length
    const end = rest.indexOf(END, start)
    if (end < 0) break
    const isArmor = rest
      .slice(start, end)
      .split('\n')
      .every((line) => ARMOR_LINE.test(line.replace(/^[> \t]+/, '').trim()))
    kept.push(rest.slice(0, begin.index), isArmor ? SEALED : rest.slice(begin.index, end + END.length))
    rest = rest.slice(end + END.length)
  }
  return kept.join('') + rest
}

function withoutSignature(text: string): string {
  const begin = SIGNED_BLOCK.exec(text)
  const signature = begin && SIGNATURE.exec(text.slice(begin.index))
  if (!begin || !signature) return text
  const signed = text.slice(begin.index + begin[0].length, begin.index + signature.index)
  const end = text.indexOf(SIGNATURE_END, begin.index + signature.index)
  const after = end < 0 ? '' : text.slice(end + SIGNATURE_END.length)
  return text.slice(0, begin.index) + signed.replace(/^- /gm, '') + after
}
