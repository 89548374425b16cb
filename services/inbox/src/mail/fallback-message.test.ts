import test from 'ava'
import fc from 'fast-check'
import { mail } from '../../../../tests/mail-corpus/build-mail.ts'
import { fallbackMessage } from './fallback-message.ts'

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
  const start = performance.now()
  fallbackMessage(Buffer.from(`To: ${'a:'.repeat(5_000_000)}`))
  t.true(performance.now() - start < 3000)
})
