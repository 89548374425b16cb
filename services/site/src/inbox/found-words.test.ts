import test from 'ava'
import { html } from '../shell/html.ts'
import { markFound } from './found-words.ts'

const marked: [string, string, string][] = [
  ['Your blood test is back', 'blood', 'Your <mark>blood</mark> test is back'],
  ['Dr. Émile & sons', 'emile', 'Dr. <mark>Émile</mark> &#38; sons'],
  ['The appointments', 'appoint', 'The <mark>appointments</mark>'],
  ['Take 5 mg, not 50', '5 mg', 'Take <mark>5</mark> <mark>mg</mark>, not 50'],
  ['腎臓内科の予約', '内科', '<mark>腎臓内科の予約</mark>'],
  ['<b>bold</b>', 'b', '&#60;<mark>b</mark>&#62;<mark>bold</mark>&#60;/<mark>b</mark>&#62;'],
  ['Nothing', '', 'Nothing'],
]
for (const [text, search, expected] of marked)
  test(`“${search}” is marked in “${text}”`, (t) => {
    t.is(html`${markFound(text, search)}`.text, expected)
  })
