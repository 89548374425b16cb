import test from 'ava'
import { readRtf } from './rtf.ts'

const read = (text: string) => readRtf(Buffer.from(text, 'latin1'))
const textOf = (text: string) => read(text).text.trim()

test('RTF becomes its text', (t) => {
  const fonts = String.raw`{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fnil\fcharset204 Arial;}}`
  t.is(
    textOf(String.raw`{\rtf1\ansi\ansicpg1252${fonts}{\colortbl;\red0;}{\*\generator x;}Hello\par\tab world}`),
    'Hello\n\tworld',
  )
  t.is(textOf(String.raw`{\rtf1\ansi\ansicpg1252 M\'fcller \{a\} \\ b\~c}`), 'Müller {a} \\ b\u00a0c')
  t.is(textOf(String.raw`{\rtf1\ansi${fonts}\f1\'cf\'f0\'e8\'e2\'e5\'f2\f0  ok}`), 'Привет ok')
  t.is(textOf(String.raw`{\rtf1\uc1 20 \u8364? and \uc2\u26085\'93\'fa.}`), '20 € and 日.')
  t.is(textOf(String.raw`{\rtf1{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}{\pict 0102}{\bin3 {{{}.}`), 'link.')
})

test('HTML inside of RTF comes out as HTML', (t) => {
  const { kind, text } = read(
    String.raw`{\rtf1\ansi\fromhtml1 {\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf \par \htmlrtf0 Take {\*\htmltag84 <b>}2.5 mg{\*\htmltag92 </b>}.{\*\htmltag72 </p>}{\*\mhtmltag64 <p>}}`,
  )
  t.is(kind, 'html')
  t.is(text, '<html><p>Take <b>2.5 mg</b>.</p>')
})

test('damaged RTF is read', (t) => {
  for (const source of [
    '',
    '}',
    '}}}a',
    '{'.repeat(100_000),
    '\\',
    "\\'",
    '\\u',
    '\\bin99999999',
    '{\\*',
    '\\u-1?',
    '\\uc99999999 a',
  ])
    t.notThrows(() => read(`{\\rtf1 ${source}`))
})
