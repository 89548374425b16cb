import { createRequire } from 'node:module'

/** Decodes a text in 7 bits that switches its character set. */
type Decode = (bytes: Buffer) => string

const require = createRequire(import.meta.url)

/** Charsets that `TextDecoder` lacks and programs still send, by squashed name. */
export function oddDecoder(squashed: string): Decode | undefined {
  if (/^(?:x?(?:unicode)?(?:11|20)?)?utf7(?:imap|safe|modified)?$/.test(squashed)) {
    return squashed.endsWith('imap') ? decodeUtf7Imap : decodeUtf7
  }
  if (/^(?:x|cs)?iso2022kr$/.test(squashed)) return decodeIso2022Kr
  if (/^(?:x|cs)?hz(?:gb2312)?$/.test(squashed)) return decodeHz
  const page =
    /^(?:x|cs)?(?:ibm|cp|pc|dos|oem|ms|msdos|codepage)?0*(437|720|737|775|8(?:08|5[0258]|57|6[0-59]))(?:multilingual)?$/.exec(
      squashed,
    )?.[1]
  return page === undefined ? undefined : (bytes) => iconv().decode(bytes, `cp${page}`)
}

/** Its tables take 4 MB, and nearly no mail needs them. */
function iconv(): typeof import('iconv-lite') {
  return require('iconv-lite')
}

/** RFC 2152. The variant that is safe in addresses has other signs and the same letters. */
function decodeUtf7(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/\+([A-Za-z\d+/,]*)-?/g, (_, coded: string) => utf16Of(coded, '+'))
}

/** RFC 3501 section 5.1.3. */
function decodeUtf7Imap(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/&([A-Za-z\d+,]*)-/g, (_, coded: string) => utf16Of(coded, '&'))
}

function utf16Of(coded: string, sign: string): string {
  if (coded === '') return sign
  const bytes = Buffer.from(coded.replaceAll(',', '/'), 'base64')
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')
}

/** RFC 1557: between SO and SI, two bytes are a character. A line ends both. */
function decodeIso2022Kr(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll('\x1b$)C', '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they switch the character set
  const shifted = text.replace(/\x0e([^\x0f\n]*)\x0f?/g, (_, coded: string) => eightBits(coded))
  return new TextDecoder('euc-kr').decode(Buffer.from(shifted, 'latin1'))
}

/** RFC 1843: between ~{ and ~}, two bytes are a character. A line ends both. */
function decodeHz(bytes: Buffer): string {
  const shifted = bytes
    .toString('latin1')
    .replace(/~(?:(~)|\n|\{([^\n]*?)(?:~\}|(?=\n)|$))/g, (_, tilde = '', coded = '') => tilde + eightBits(coded))
  return new TextDecoder('gbk').decode(Buffer.from(shifted, 'latin1'))
}

function eightBits(coded: string): string {
  return coded.replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) | 0x80))
}
