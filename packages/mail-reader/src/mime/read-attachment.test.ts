import { createHash } from 'node:crypto'
import test from 'ava'
import { attachment, multipartMail, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { fileOf, tnef } from '../../../../tests/mail-corpus/build-sealed.ts'
import { mailCorpus, mailVariants, rawMail } from '../../../../tests/mail-corpus.ts'
import { parseMessage } from '../parse-message.ts'
import { readAttachment } from './attachments.ts'

for (const mailCase of [...mailCorpus, ...mailVariants].filter(({ expect }) => expect.attachments?.length)) {
  test(`every attachment matches its description: ${mailCase.name}`, async (t) => {
    const raw = rawMail(mailCase)
    const { attachments } = await parseMessage(raw)
    for (const { index, filename, contentType, size, sha256 } of attachments) {
      const read = readAttachment(raw, { index, sha256 })
      t.like(read, { filename, contentType })
      t.is(read?.content.length, size)
      t.is(
        createHash('sha256')
          .update(read?.content ?? '')
          .digest('hex'),
        sha256,
      )
    }
    t.is(readAttachment(raw, { index: attachments.length, sha256: 'none' }), undefined)
  })
}

test('an invalid index finds nothing', (t) => {
  for (const index of [-1, 0, 0.5, Number.NaN, 1e9])
    t.is(readAttachment(Buffer.from('Subject: x\r\n\r\ntext'), { index, sha256: 'none' }), undefined)
})

test('a file that an earlier version listed is found, though it is not listed today', (t) => {
  const winmail = tnef(fileOf('plan.pdf', Buffer.from('%PDF-1.4')))
  const raw = multipartMail({}, 'mixed', [
    text('See the plan.'),
    attachment('winmail.dat', 'application/ms-tnef', winmail),
    attachment('smime.p7s', 'application/pkcs7-signature', Buffer.from('signature')),
  ])
  const read = (index: number, content: Buffer) =>
    readAttachment(raw, { index, sha256: createHash('sha256').update(content).digest('hex') })
  t.deepEqual(Buffer.from(read(0, winmail)?.content ?? ''), winmail)
  t.is(Buffer.from(read(1, Buffer.from('signature'))?.content ?? '').toString(), 'signature')
  t.is(read(0, Buffer.from('%PDF-1.4'))?.filename, 'plan.pdf')
})
