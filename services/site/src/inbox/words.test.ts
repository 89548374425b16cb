import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { sizeWords } from '../shell/parts.ts'
import { fileKind } from './file-words.ts'
import { linkedText } from './linked-text.ts'
import { checkWords } from './sender.ts'

test('the word beside a sender says what inbox found out about them', (t) => {
  const kindOf = (check?: SenderCheck) => checkWords(check, 'clinic.example').kind
  t.is(kindOf(SenderCheck.VERIFIED), 'good')
  t.is(kindOf(SenderCheck.NOT_VERIFIED), 'unknown')
  t.is(kindOf(SenderCheck.IMPOSSIBLE), 'unknown')
  t.is(kindOf(SenderCheck.FAILED), 'bad')
  t.is(kindOf(SenderCheck.UNSPECIFIED), 'pending')
  t.is(kindOf(), 'pending')
})

test('files show their kind and a readable size', (t) => {
  t.is(fileKind('application/pdf', 'x'), 'PDF')
  t.is(fileKind('application/octet-stream', 'scan.dcm'), 'DCM file')
  t.is(fileKind('application/octet-stream', 'scan'), 'File')
  t.deepEqual([0, 999, 1500, 999_499, 999_500, 2_340_000].map(sizeWords), [
    '0 bytes',
    '999 bytes',
    '2 KB',
    '999 KB',
    '1.0 MB',
    '2.3 MB',
  ])
})

test('web addresses become links to exactly that address; everything else stays text', (t) => {
  const { text } = linkedText('See https://clinic.example/a?b=1&c=2. <b>Or</b> javascript:alert(1)')
  t.is(
    text,
    'See <a href="https://clinic.example/a?b=1&#38;c=2" target="_blank" rel="noopener noreferrer nofollow">https://clinic.example/a?b=1&#38;c=2</a>. &#60;b&#62;Or&#60;/b&#62; javascript:alert(1)',
  )
})
