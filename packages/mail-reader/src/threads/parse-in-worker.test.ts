import test from 'ava'
import { html, mail, multipartMail, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { mailCorpus, rawMail } from '../../../../tests/mail-corpus.ts'
import { parseMessage } from '../parse-message.ts'
import { createMessageParser } from './parse-in-worker.ts'
import { createReaderPool } from './reader-pool.ts'

const HTML = { 'Content-Type': 'text/html' }
const EXPENSIVE = '<table><tr><td>'.repeat(17_000)

// Serial: these tests measure time.
test.serial('a mail parses the same inline and in a worker', async (t) => {
  await using pool = createReaderPool()
  const parser = createMessageParser(pool)
  for (const mailCase of mailCorpus) {
    const raw = rawMail(mailCase)
    t.deepEqual(await parser.parse(raw), structuredClone(await parseMessage(raw)), mailCase.name)
  }
})

test.serial('a mail that takes too long becomes a fallback message, and the next one is parsed', async (t) => {
  await using pool = createReaderPool(50)
  const parser = createMessageParser(pool)
  const slow = await parser.parse(mail({ ...HTML, Subject: 'Slow' }, EXPENSIVE))
  t.like(slow, {
    unreadable: true,
    subject: 'Slow',
    text: 'This message could not be displayed. The original is kept.',
  })
  t.is((await parser.parse(mail({ Subject: 'Next' }, 'Hi'))).text, 'Hi')
})

test.serial('parsing leaves the caller’s bytes intact', async (t) => {
  await using pool = createReaderPool()
  const parser = createMessageParser(pool)
  const raw = mail(HTML, '<p>Hello</p>')
  const before = Buffer.from(raw)
  t.is((await parser.parse(raw)).text, 'Hello')
  t.deepEqual(raw, before)
})

test.serial('small mails, even with an HTML alternative, are parsed without a worker', async (t) => {
  await using pool = createReaderPool(1)
  const parser = createMessageParser(pool)
  const raw = multipartMail({}, 'alternative', [text('Line of text.\n'.repeat(700)), html('<p>x</p>')])
  t.false((await parser.parse(raw)).unreadable)
  t.true((await parser.parse(mail(HTML, '<p>x</p>'))).unreadable)
})

test.serial('after disposal, a parser rejects mail that needs a worker', async (t) => {
  const pool = createReaderPool()
  const parser = createMessageParser(pool)
  await pool[Symbol.asyncDispose]()
  await t.throwsAsync(parser.parse(mail(HTML, '<p>Hello</p>')), { name: 'AbortError' })
})
