import test from 'ava'
import { findMentions } from './mentions.ts'

const members = [
  { personId: 'ana', name: 'Ana Almeida' },
  { personId: 'maria', name: 'Ana Maria Costa' },
  { personId: 'tom', name: 'Tom Reed' },
]

const cases: [string, string[]][] = [
  ['@Tom please call them', ['tom']],
  ['Please call them, @tom!', ['tom']],
  ['@Tom Reed and @Ana Maria Costa', ['tom', 'maria']],
  ['@Ana should know', ['ana', 'maria']],
  ['@Ana Almeida should know', ['ana']],
  ['(@TOM)', ['tom']],
  ['@Tomas is somebody else', []],
  ['write to desk@tom.example', []],
  ['Tom knows', []],
  ['@', []],
]

for (const [text, expected] of cases)
  test(`${text} names ${expected.join(' and ') || 'nobody'}`, (t) => t.deepEqual(findMentions(text, members), expected))
