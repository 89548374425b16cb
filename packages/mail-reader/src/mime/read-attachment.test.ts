import { createHash } from 'node:crypto'
import test from 'ava'
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
