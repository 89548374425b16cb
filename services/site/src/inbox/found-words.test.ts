import { wordsIn } from '@family-inbox/service-kit/text/words'
import test from 'ava'
import fc from 'fast-check'
import { html } from '../shell/html.ts'
import { markFound } from './found-words.ts'

const marked: [string, string, string][] = [
  ['Your blood test is back', 'blood', 'Your <mark>blood</mark> test is back'],
  ['Dr. Émile & sons', 'emile', 'Dr. <mark>Émile</mark> &#38; sons'],
  ['The appointments', 'appoint', 'The <mark>appointments</mark>'],
  ['Take 5 mg, not 50', '5 mg', 'Take <mark>5</mark> <mark>mg</mark>, not 50'],
  ['腎臓内科の予約', '内科', '腎臓<mark>内科</mark>の予約'],
  ['検査の結果と次の検査', '検査', '<mark>検査</mark>の結果と次の<mark>検査</mark>'],
  ['検査の結果です', '検査 結果', '<mark>検査</mark>の<mark>結果</mark>です'],
  ['ＭＲＩ検査とMRI検査', 'mri検査', '<mark>ＭＲＩ</mark><mark>検査</mark>と<mark>MRI</mark><mark>検査</mark>'],
  ['ﾘﾊﾋﾞﾘの予定', 'リハビリ', '<mark>ﾘﾊﾋﾞﾘ</mark>の予定'],
  ['ผลตรวจเลือดของคุณ', 'เลือด', 'ผลตรวจ<mark>เลือด</mark>ของคุณ'],
  ['血液检查', '血液检查', '<mark>血液检查</mark>'],
  ['血液检查', '检', '血液<mark>检</mark>查'],
  ['병원 예약', '예약', '병원 <mark>예약</mark>'],
  ['<b>bold</b>', 'b', '&#60;<mark>b</mark>&#62;<mark>bold</mark>&#60;/<mark>b</mark>&#62;'],
  ['Nothing', '', 'Nothing'],
]
for (const [text, search, expected] of marked)
  test(`“${search}” is marked in “${text}”`, (t) => {
    t.is(html`${markFound(text, search)}`.text, expected)
  })

const TEXTS = [
  'Straße STRASSE ẞ',
  'İstanbul ılık IŞIK',
  'Nguyễn Thị Đào khám lại',
  'cafe\u0301 Å Å ﬁnal ﬂu',
  'ＭＲＩ ５ ㎎ ½ ² Ⅳ',
  'שָׁלוֹם רְפוּאָה',
  'مَوْعِد الطبيب',
  'हिन्दी में जाँच',
  '検査ー結果 ﾘﾊﾋﾞﾘ々〆',
  'ผลตรวจเลือด 血液检查abc',
  'a\u200bb co\u00adop',
]

for (const text of TEXTS)
  test(`each word that the search finds in “${text}” is marked`, (t) => {
    for (const word of wordsIn(text)) t.regex(html`${markFound(text, word)}`.text, /<mark>/, word)
  })

test('whatever a text is, each word that the search finds is marked, and the text stays as it is', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      for (const word of wordsIn(text)) {
        const shown = html`${markFound(text, word)}`.text
        if (!shown.includes('<mark>') || shown.replaceAll(/<\/?mark>/g, '') !== html`${text}`.text) return false
      }
      return true
    }),
    { numRuns: 3000 },
  )
  t.pass()
})
