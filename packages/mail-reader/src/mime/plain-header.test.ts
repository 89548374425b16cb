import test from 'ava'
import { type PlainHeader, readPlainHeader } from './plain-header.ts'

const ANA = 'ana@family.example'
const NONE: PlainHeader = { author: '', to: '', date: '' }

const CASES: [says: string, header: string[], expected: Partial<PlainHeader>][] = [
  [
    'one of each',
    [`From: Ana <${ANA}>`, 'To: "Family" <in@box.example>', 'Date: Mon, 2 Nov 2026 09:00:00 +0000'],
    { author: ANA, to: 'in@box.example', date: 'Mon, 2 Nov 2026 09:00:00 +0000' },
  ],
  ['two From fields', [`From: ${ANA}`, 'From: x@evil.example'], {}],
  ['the same From twice', [`From: ${ANA}`, `from: ${ANA}`], {}],
  ['two authors', [`From: ${ANA}, x@evil.example`], {}],
  ['a group of two', [`From: Us: ${ANA}, x@evil.example;`], {}],
  ['an address as the name', [`From: "${ANA}" <x@evil.example>`], { author: 'x@evil.example' }],
  ['a sender, but no author', [`Sender: ${ANA}`, `Return-Path: <${ANA}>`], {}],
  ['two recipients', ['To: in@box.example, x@evil.example'], {}],
  ['a recipient in Cc', ['Cc: in@box.example'], {}],
  ['two dates', ['Date: Mon, 2 Nov 2026 09:00:00 +0000', 'Date: Mon, 2 Nov 2026 09:00:01 +0000'], {}],
  ['a folded field', ['To: Family', '  <in@box.example>'], { to: 'in@box.example' }],
]

for (const [says, header, expected] of CASES)
  test(`a header says who wrote, to whom and when, only without doubt: ${says}`, (t) => {
    const raw = [...header, 'Subject: Hello', '', `From: ${ANA}`].join('\r\n')
    t.deepEqual(readPlainHeader(Buffer.from(raw)), { ...NONE, ...expected })
  })
