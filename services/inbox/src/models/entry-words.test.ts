import { MessageField } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { fieldsOf, wordsOf } from './entry-words.ts'
import { searchPeople, searchWords } from './index-words.ts'

const file = (filename: string) => ({ filename })
const letter = {
  subject: 'Lab results',
  from: { name: 'Front Desk', address: 'desk@clinic.example' },
  originalSender: { name: 'Dr. Osei', address: 'osei@lab.example' },
  attachments: [file('report.pdf'), file('')],
  text: 'The INR is 2.6. Ask the desk.',
}

function placesOf(query: string, row: typeof letter | Omit<typeof letter, 'originalSender'>): string[] {
  const { anywhere } = fieldsOf(row, wordsOf(row))
  return anywhere.flatMap(([field, words]) =>
    searchWords(query).phrases.every(({ pattern }) => pattern.test(words)) ? field : [],
  )
}

const { SUBJECT, SENDER, ORIGINAL_SENDER, ATTACHMENT, BODY, REPLIED_BY } = MessageField
const PLACES: [query: string, places: MessageField[]][] = [
  ['results', [SUBJECT]],
  ['desk', [SENDER, SENDER, BODY]],
  ['osei', [ORIGINAL_SENDER, ORIGINAL_SENDER]],
  ['report', [ATTACHMENT]],
  ['"INR is 2.6"', [BODY]],
  ['"results front"', []],
]

for (const [query, places] of PLACES)
  test(`the places of ${query} in a letter are ${places.join(', ') || 'none'}`, (t) => {
    t.deepEqual(placesOf(query, letter), places)
  })

test('what is empty moves no word to another field', (t) => {
  const bare = { ...letter, subject: ' – ', from: { name: '', address: 'desk@clinic.example' }, attachments: [] }
  t.deepEqual(placesOf('desk', bare), [SENDER, BODY])
  t.deepEqual(placesOf('osei', bare), [ORIGINAL_SENDER, ORIGINAL_SENDER])
  const { originalSender: _, ...own } = bare
  t.deepEqual(placesOf('INR', own), [BODY])
})

test('a member who replied is not the sender', (t) => {
  const { people } = fieldsOf(letter, wordsOf(letter, ['Ines Santos']))
  const [{ pattern } = { pattern: /$^/ }] = searchPeople(['ines']).phrases
  t.deepEqual(
    people.flatMap(([field, words]) => (pattern.test(words) ? field : [])),
    [REPLIED_BY],
  )
})
