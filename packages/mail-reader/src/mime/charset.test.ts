import test from 'ava'
import { decodeCharset } from './charset.ts'

const cases: [label: string | undefined, hex: string, text: string][] = [
  ['windows-1252', '8093e994', '€“é”'],
  ['iso-8859-15', 'a4', '€'],
  ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
  ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
  ['shift_jis', '93fa967b', '日本'],
  ['cp932', '93fa967b', '日本'],
  ['euc-kr', 'b0a1', '가'],
  ['big5', 'a7da', '我'],
  ['gb2312', 'c4e3', '你'],
  ['iso-2022-jp', '1b2442467c4b5c1b2842', '日本'],
  [undefined, '1b2442467c4b5c1b2842', '日本'],
  ['utf-16le', 'e400', 'ä'],
  ['utf-16', '61622063', 'ab c'],
  ['us-ascii', '93e994', '“é”'],
  ['utf-8', 'fc62656c', 'übel'],
  [undefined, 'fc62656c', 'übel'],
  ['nonsense', 'c3bc', 'ü'],
  ['iso-2022-kr', 'c3bc', 'ü'],
  ['iso-8859-1', 'c3bc', 'ü'],
  ['gbk', 'c2b0', '掳'],
  ['utf-8', 'efbbbf61', 'a'],
  ['', '', ''],
]

for (const [label, hex, text] of cases) {
  test(`bytes ${hex} labeled ${label} decode to ${text}`, (t) => {
    t.is(decodeCharset(Buffer.from(hex, 'hex'), label), text)
  })
}

test('one damaged character does not change the charset of UTF-8 text', (t) => {
  const bytes = Buffer.concat([
    Buffer.from('schöne Grüße aus Köln, für Übermorgen'),
    Buffer.from([0xc3]),
    Buffer.from(' Ende'),
  ])
  t.is(decodeCharset(bytes, 'utf-8'), 'schöne Grüße aus Köln, für Übermorgen\ufffd Ende')
})

test('thousands of made-up labels do not fill the cache', (t) => {
  for (let label = 0; label < 5000; label += 1) decodeCharset(Buffer.from([0xe9]), `x-${label}`)
  t.is(decodeCharset(Buffer.from([0xe9]), 'latin1'), 'é')
})
