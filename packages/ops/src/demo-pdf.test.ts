import test from 'ava'
import { demoMail } from './demo-mail.ts'
import { demoPdf } from './demo-pdf.ts'

test('the table of a letter says where each of its objects begins', (t) => {
  const file = demoPdf(['Heading (one)', '', 'A line \\ with a backslash']).toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF/.exec(file)?.[1])
  t.true(file.slice(start).startsWith('xref\n0 8\n'))
  const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  t.deepEqual(
    offsets.map((offset, index) => file.slice(offset).startsWith(`${index + 1} 0 obj\n`)),
    offsets.map(() => true),
  )
  const [, length = ''] = /\/Length (\d+) >>\nstream\n/.exec(file) ?? []
  t.is(/stream\n(.*?)\nendstream/s.exec(file)?.[1]?.length, Number(length))
  t.true(file.includes('(Heading \\(one\\)) Tj') && file.includes('(A line \\\\ with'))
})

test('the demo mail attaches whole letters in ASCII', (t) => {
  const files = demoMail.flatMap(({ attachments = [] }) => attachments)
  t.is(files.length, 2)
  for (const { content } of files) t.regex(String(content), /^%PDF-1\.4\n[\x20-\x7e\n]+%%EOF\n$/)
})
