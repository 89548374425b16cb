import test from 'ava'
import fc from 'fast-check'
import { MAX_PARTS } from './limits.ts'
import { leaves, type MimePart } from './mime-part.ts'
import { readMimeTree } from './mime-tree.ts'

const crlf = (lines: string[]) => Buffer.from(lines.join('\r\n'))
const bodies = (raw: Buffer) => leaves(readMimeTree(raw).root).map((leaf) => leaf.body.toString())

test('the line break before a delimiter belongs to the delimiter', (t) => {
  const raw = crlf([
    'Content-Type: multipart/mixed; boundary=b',
    '',
    'preamble',
    '--b',
    '',
    'one',
    '',
    '--b  ',
    '',
    'two',
    '--b--',
    'epilogue',
  ])
  t.deepEqual(bodies(raw), ['one\r\n', 'two'])
})

test('bare line feeds work, too', (t) => {
  t.deepEqual(
    bodies(Buffer.from('Content-Type: multipart/mixed; boundary="b c"\n\n--b c\n\none\n--b c\n\ntwo\n--b c--\n')),
    ['one', 'two'],
  )
})

test('a line that only starts like the boundary is text', (t) => {
  const raw = crlf([
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'one',
    '--bb',
    '-- b',
    '--',
    '--b--x',
    '--b--',
  ])
  t.deepEqual(bodies(raw), ['one\r\n--bb\r\n-- b\r\n--\r\n--b--x'])
})

test('the delimiter of an outer multipart also ends the inner one', (t) => {
  const raw = crlf([
    ...[
      'Content-Type: multipart/mixed; boundary=outer',
      '',
      '--outer',
      'Content-Type: multipart/mixed; boundary=inner',
      '',
    ],
    ...['--inner', '', 'one', '--outer', '', 'two', '--inner', 'still two', '--outer--'],
  ])
  t.deepEqual(bodies(raw), ['one', 'two\r\n--inner\r\nstill two'])
})

test('a boundary reused inside itself belongs to the inner multipart until that ends', (t) => {
  const raw = crlf([
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: multipart/mixed; boundary=b', ''],
    ...['--b', '', 'inner', '--b--', '--b', '', 'outer', '--b--'],
  ])
  t.deepEqual(bodies(raw), ['inner', 'outer'])
})

test('a part may have no blank line', (t) => {
  const raw = crlf([
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '--b',
    'no header',
    '--b--',
  ])
  t.deepEqual(bodies(raw), ['', 'no header'])
})

test('a nested message is parsed with its own parts', (t) => {
  const message = ['Subject: inner', 'Content-Type: multipart/mixed; boundary=i', '', '--i', '', 'deep', '--i--', '']
  const raw = crlf([
    'Content-Type: multipart/mixed; boundary=o',
    '',
    '--o',
    'Content-Type: message/rfc822',
    '',
    ...message,
    '--o',
    '',
    'next',
    '--o--',
  ])
  const { root } = readMimeTree(raw)
  t.is(root.children[0]?.children[0]?.fields[0]?.value, 'inner')
  t.deepEqual(bodies(raw), ['deep', 'next'])
  t.true(root.children[0]?.body.toString().startsWith('Subject: inner'))
})

test('parts of a digest are messages', (t) => {
  const raw = crlf(['Content-Type: multipart/digest; boundary=b', '', '--b', '', 'Subject: one', '', 'text', '--b--'])
  t.is(readMimeTree(raw).root.children[0]?.type, 'message/rfc822')
  t.deepEqual(bodies(raw), ['text'])
})

test('encoded nested messages are read a few levels deep', (t) => {
  let raw = Buffer.from('Subject: core\r\n\r\ncore text')
  for (let level = 0; level < 4; level += 1) {
    raw = Buffer.from(
      `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n${raw.toString('base64')}`,
    )
  }
  t.deepEqual(bodies(raw), ['core text'])
})

test('the number of parts is limited in any structure', (t) => {
  const header = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
  const mails = [
    `${header}${'--b\r\n\r\nx\r\n'.repeat(5000)}`,
    `${header}--b\r\n`.repeat(5000),
    'Content-Type: message/rfc822\r\n\r\n'.repeat(5000),
  ]
  for (const raw of mails) {
    const tree = readMimeTree(Buffer.from(raw))
    t.true(tree.truncated)
    t.is(countParts(tree.root), MAX_PARTS)
  }
})

test('any bytes produce a tree no larger than the mail', (t) => {
  const line = fc.constantFrom(
    '--b',
    '--b--',
    '--c',
    '',
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: message/rfc822',
    'Content-Type: multipart/alternative; boundary=c',
    'Content-Transfer-Encoding: base64',
    'text',
    ' folded',
    '\xff\x00',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom('\r\n', '\n'), (lines, lineBreak) => {
      const raw = Buffer.from(lines.join(lineBreak), 'latin1')
      const size = leaves(readMimeTree(raw).root).reduce((total, leaf) => total + leaf.body.length, 0)
      t.true(size <= raw.length)
    }),
    { numRuns: 2000 },
  )
})

function countParts(root: MimePart): number {
  let count = 0
  const pending = [root]
  for (let part = pending.pop(); part; part = pending.pop()) {
    count += 1
    pending.push(...part.children)
  }
  return count
}
