import test from 'ava'
import fc from 'fast-check'
import { mail } from '../../../tests/mail-corpus/build-mail.ts'
import { type MailCase, mailCorpus, mailVariants, rawMail } from '../../../tests/mail-corpus.ts'
import { fallbackMessage, parseMessage } from './parse-message.ts'
import type { ParsedMessage } from './parsed-message.ts'

const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in a text
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

for (const mailCase of [...mailCorpus, ...mailVariants]) {
  test.serial(`is parsed correctly: ${mailCase.name}`, async (t) => {
    const raw = rawMail(mailCase)
    const message = await parseMessage(raw)
    t.like(seen(message, mailCase.expect), { ...mailCase.expect, bodyIncludes: undefined, bodyExcludes: undefined })
    for (const wanted of mailCase.expect.bodyIncludes ?? []) t.true(message.text.includes(wanted), wanted)
    for (const unwanted of mailCase.expect.bodyExcludes ?? []) t.false(message.text.includes(unwanted), unwanted)
    t.notRegex(message.subject + message.text, FORBIDDEN)
    t.true(message.preview.length <= 280 && !message.preview.includes('\n'))
    t.false(message.unreadable)
  })
}

/** The parts of a message that a person sees, in the corpus's terms. */
function seen(message: ParsedMessage, expect: MailCase['expect']) {
  return {
    ...expect,
    subject: message.subject,
    from: message.from.address,
    body: message.text,
    attachments: message.attachments,
    attachmentCount: message.attachments.length,
    category: message.category,
    automated: message.automated,
    truncated: message.truncated,
    originalSender: message.originalSender?.address ?? null,
    sentAt: message.sentAt?.toISOString() ?? null,
    messageId: message.messageId ?? null,
    confirmation: message.forwardingConfirmation ?? null,
    bodyIncludes: undefined,
    bodyExcludes: undefined,
  }
}

test('the fallback shows the readable header and explains the missing text', (t) => {
  const message = fallbackMessage(mail({ Subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=' }, 'x'.repeat(1_000_000)))
  t.like(message, {
    subject: 'Grüße',
    from: { name: 'Clinic Front Desk', address: 'desk@clinic.example' },
    unreadable: true,
  })
  t.is(message.preview, 'This message could not be displayed. The original is kept.')
  t.truthy(message.messageId)
})

test('the fallback accepts any bytes', (t) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => fallbackMessage(bytes).unreadable))
  t.true(fallbackMessage(Buffer.from(`To: ${'a:'.repeat(5_000_000)}`)).unreadable)
})
