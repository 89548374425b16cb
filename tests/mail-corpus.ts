import { brokenEncodings } from './mail-corpus/broken-encodings.ts'
import type { MailCase } from './mail-corpus/build-mail.ts'
import { charsets } from './mail-corpus/charsets.ts'
import { forwards } from './mail-corpus/forwards.ts'
import { hostile } from './mail-corpus/hostile.ts'
import { letters, letterVariants } from './mail-corpus/letters.ts'
import { placeholders } from './mail-corpus/placeholders.ts'
import { sealed } from './mail-corpus/sealed.ts'
import { shapes } from './mail-corpus/shapes.ts'

export type { MailCase } from './mail-corpus/build-mail.ts'

/** Mail with its expected result; parsed by unit tests and sent over SMTP by others. */
export const mailCorpus: MailCase[] = [
  ...shapes,
  ...charsets,
  ...forwards,
  ...brokenEncodings,
  ...placeholders,
  ...letters,
  ...sealed,
  ...hostile,
]

/** Parsed by unit tests only. */
export const mailVariants: MailCase[] = letterVariants

export function rawMail({ raw }: MailCase): Buffer {
  return typeof raw === 'function' ? raw() : raw
}
