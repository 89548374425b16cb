import { isBodyText, leaves, type MimePart } from './mime-part.ts'
import { decodeTransfer, isReadableEncoding } from './transfer-encoding.ts'

const NO_LETTER =
  /^text\/(?:calendar|(?:x-)?vcard|directory|css|javascript|ecmascript|csv|xml|rfc822-headers|global-headers|x-amp-html|rtf)$/
/** HTML that may say nothing is short. */
const MAX_LOOKED_AT = 4096

/**
 * Decides between texts that programs send twice or as a file: the text inside of winmail.dat counts only in a mail without another
 * one, and so does a text that has a file name or a type such as `text/x-unknown`.
 * @returns whether the mail has a text
 */
export function chooseText(root: MimePart): boolean {
  const all = leaves(root)
  if (all.length === 1 && isBodyText(root)) return true
  const texts = all.filter(isBodyText)
  const own = texts.filter((leaf) => !isInsideTnef(leaf))
  if (own.some(saysSomething)) removeMade(texts.filter(isInsideTnef))
  if (texts.some(saysSomething)) return true
  const file = all.find(
    (leaf) =>
      leaf.type.startsWith('text/') &&
      !NO_LETTER.test(leaf.type) &&
      isReadableEncoding(leaf.encoding) &&
      saysSomething(leaf),
  )
  if (file) file.isOnlyText = true
  return file !== undefined || all.some(({ isEncrypted }) => isEncrypted)
}

/** A mail that is attached inside of winmail.dat has a text of its own. */
function isInsideTnef({ parent }: MimePart): boolean {
  return isTnef(parent) && !isTnef(parent?.parent)
}

function isTnef(part: MimePart | undefined): boolean {
  return part?.isOpened === true && /tnef|octet/.test(part.type)
}

function isLetter(byte = 0): boolean {
  return byte > 0x40 && byte < 0x7b
}

function removeMade(parts: MimePart[]) {
  for (const { parent } of parts)
    if (parent) parent.children = parent.children.filter((child) => !parts.includes(child))
}

function saysSomething({ body, encoding, type }: MimePart): boolean {
  if (body.length > MAX_LOOKED_AT || (encoding === '' && type === 'text/plain' && isLetter(body[0]))) return true
  const text = decodeTransfer(body, encoding).toString('latin1')
  return /[^\s\xa0]/.test(type === 'text/html' ? text.replace(/<[^<>]*>|&nbsp;/g, '') : text)
}
