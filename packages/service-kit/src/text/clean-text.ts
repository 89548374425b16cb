import { trimOf } from './trim.ts'

const PLAIN = /^[\n\t\x20-\x7e]*$/

const LINE_BREAKS = /\r\n?|[\f\v\u0085\u2028\u2029]/g

/** C0 and C1 controls, bidi marks, embeddings, overrides and isolates, and invisible characters that hide text. */
const NEVER_SHOWN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]|\u034f/gu

/** Tag characters spell invisible text, except the region in a flag such as Scotland's (UTS #51 ED-14a). */
const TAGS = /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu

/** A selector picks the variant of the symbol before it. Runs of them, or after letters without variants, smuggle text. */
const SELECTOR = '[\\ufe00-\\ufe0f\\u180b-\\u180d\\u180f]'
const HAN_SELECTOR = '[\\u{e0100}-\\u{e01ef}]'
const SELECTABLE = '[^\\s\\p{Variation_Selector}\\u200c\\u200d\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]'
const SELECTORS = keepOnly(
  `${SELECTOR}(?<=${SELECTABLE}${SELECTOR})|${HAN_SELECTOR}(?<=\\p{Script=Han}${HAN_SELECTOR})`,
  '\\p{Variation_Selector}',
)

const SHAPING_SCRIPTS =
  'Arab Syrc Nkoo Mand Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Bali Java Newa'
const SHAPED = SHAPING_SCRIPTS.replace(/(\w+) ?/g, '\\p{Script_Extensions=$1}')
const JOINERS = keepOnly(
  `\\u200d(?<=[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}]\\u200d)(?=\\p{Extended_Pictographic})` +
    `|[\\u200c\\u200d](?<=(?=[\\p{L}\\p{M}])[${SHAPED}][\\u200c\\u200d])`,
  '[\\u200c\\u200d]',
)

/** Removes what reverses or hides text, and extra empty lines. Keeps what scripts and emoji need. Idempotent. */
export function cleanText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n')
  return collapseBlankLines(PLAIN.test(lines) ? lines : removeHidden(lines))
}

export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

function removeHidden(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_BREAKS, '\n')
    .replaceAll('\u00a0', ' ')
    .replace(NEVER_SHOWN, '')
    .replace(TAGS, keepFirst)
    .replace(SELECTORS, keepFirst)
    .replace(JOINERS, keepFirst)
}

function collapseBlankLines(text: string): string {
  // No pattern like / +\n/: it takes quadratic time on a long run of blanks.
  const lines = text.split('\n').map((line) => line.trimEnd())
  return trimOf(lines.join('\n').replace(/\n{3,}/g, '\n\n'), '\n')
}

function keepOnly(wanted: string, any: string): RegExp {
  return new RegExp(`(${wanted})|${any}`, 'gu')
}

function keepFirst(_: string, wanted: string | undefined): string {
  return wanted ?? ''
}
