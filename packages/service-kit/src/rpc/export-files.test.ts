import test from 'ava'
import { exportFile, exportRows, safeFileName } from './export-files.ts'

test('the pieces of a file add up to it', (t) => {
  const bytes = Buffer.alloc(700_000, 'abc')
  const pieces = [...exportFile('a.bin', bytes)]
  t.deepEqual(
    pieces.map(({ beginsFile }) => beginsFile),
    ['a.bin', '', ''],
  )
  t.deepEqual(Buffer.concat(pieces.map(({ data }) => data)), bytes)
  t.is([...exportFile('empty', new Uint8Array())].length, 1)
})

test('rows are valid JSON, whether none or very many', async (t) => {
  for (const count of [0, 1, 20_000]) {
    const rows = Array.from({ length: count }, (_, index) => ({ index, text: 'à"\n' }))
    const parts: Buffer[] = []
    for await (const { data } of exportRows('rows.json', rows)) parts.push(Buffer.from(data))
    t.deepEqual(JSON.parse(Buffer.concat(parts).toString()), rows)
    t.true(parts.every(({ length }) => length < 600_000))
  }
})

test('no file name chosen by a sender is a path', (t) => {
  t.is(safeFileName('../../etc/passwd'), '_.._etc_passwd')
  t.is(safeFileName('report\u202efdp.exe'), 'report_fdp.exe')
  t.is(safeFileName('C:\\x'), 'C__x')
  t.is(safeFileName('..'), '_')
  t.is(safeFileName('CON.txt'), '_CON.txt')
  t.is(safeFileName(`${'long '.repeat(100)}.pdf`).length, 100)
  t.is(safeFileName('Rezept für Mutter.pdf'), 'Rezept für Mutter.pdf')
})
