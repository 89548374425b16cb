import test from 'ava'
import fc from 'fast-check'
import { html, mail, multipartMail, text } from '../../../../tests/mail-corpus/build-mail.ts'
import { letters, placeholders } from '../../../../tests/mail-corpus/letter-pairs.ts'
import { readMimeTree } from '../mime/mime-tree.ts'
import { loadHtmlConverter } from './html-text.ts'
import { composeHtml, composeText, previewOf } from './message-text.ts'

test('a preview is the start of the text, on one line of at most 280 characters', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
      const preview = previewOf(text)
      t.true(preview.length <= 280)
      t.notRegex(preview, /[\n\t]|^\s|\s$| {2}/)
      t.true(text.replace(/\s+/g, ' ').trim().startsWith(preview))
    }),
  )
})

test('a preview is full even if the text has a lot of white space', (t) => {
  t.is(previewOf(`word${' '.repeat(100)}\n`.repeat(100)).length, 279)
})

test('the preview of a short text is the whole text', (t) => {
  t.is(previewOf('Dear family,\n\nsee you.'), 'Dear family, see you.')
  t.is(previewOf(''), '')
})

const convert = await loadHtmlConverter()

for (const [name, plain, markup] of placeholders)
  test(`a placeholder does not hide the letter: ${name}`, (t) => {
    const raw = multipartMail({}, 'alternative', [text(plain), html(markup)])
    const letter = composeText(readMimeTree(mail({ 'Content-Type': 'text/html; charset=utf-8' }, markup)).root, convert)
    t.deepEqual(composeText(readMimeTree(raw).root, convert), letter)
    t.is(composeText(readMimeTree(raw).root), undefined, 'needs the converter')
  })

for (const [name, plain, markup] of letters)
  test(`a plain part is the text when it is the letter: ${name}`, (t) => {
    const raw = multipartMail({}, 'alternative', [text(plain), html(markup)])
    t.deepEqual(composeText(readMimeTree(raw).root, convert), { text: plain, truncated: false, isConverted: false })
  })

test('only text that is not from a plain part counts as converted', (t) => {
  const isConverted = (raw: Buffer) => composeText(readMimeTree(raw).root, (markup) => markup)?.isConverted
  const letter = html('<p>Your visit is on 3 May.</p>')
  t.true(isConverted(mail({ 'Content-Type': 'text/html' }, '<p>Hello</p>')))
  t.true(isConverted(multipartMail({}, 'alternative', [text('Your browser does not support HTML.'), letter])))
  t.true(isConverted(multipartMail({}, 'alternative', [text('Open it: https://clinic.example/m/1'), letter])))
  t.false(isConverted(multipartMail({}, 'alternative', [text('Your visit is on 3 May.'), letter])))
  t.false(isConverted(mail({}, 'Hello')))
})

test('HTML is kept as sent, with plain parts added', (t) => {
  const markup = '<p onclick="x()">Hello <b>you</b></p>'
  const htmlOf = (raw: Buffer) => composeHtml(readMimeTree(raw).root)
  t.is(htmlOf(mail({ 'Content-Type': 'text/html' }, markup)), markup)
  t.is(htmlOf(multipartMail({}, 'alternative', [text('Hello'), html(markup)])), markup)
  t.is(
    htmlOf(multipartMail({}, 'mixed', [text('1 < 2 & <b>'), html(markup)])),
    `<div style="white-space:pre-wrap">1 &lt; 2 &amp; &lt;b&gt;</div>\n${markup}`,
  )
  t.is(htmlOf(mail({}, 'No markup')), undefined)
  t.is(htmlOf(mail({ 'Content-Type': 'text/html' }, 'x'.repeat(2_000_000)))?.length, 1024 * 1024)
})
