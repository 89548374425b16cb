import test from 'ava'
import fc from 'fast-check'
import { indexPeople, indexWords, searchPeople, searchWords } from './index-words.ts'

/** Whether the search finds the text, as the database would. */
function isFound(text: string, search: string): boolean {
  const { keys, words } = indexWords([text])
  const wanted = searchWords(search)
  return wanted.keys.every((key) => keys.includes(key)) && wanted.phrases.every(({ pattern }) => pattern.test(words))
}

const found: [string, string][] = [
  ['Your appointment on Tuesday', 'appointment'],
  ['Your appointment on Tuesday', 'appoint tues'],
  ['Your appointment on Tuesday', 'TUESDAY your'],
  ['Dr. Émile Zola <emile@clinic.example>', 'emile'],
  ['Dr. Émile Zola <emile@clinic.example>', 'emile@clinic.example'],
  ['Dr. Emile Zola', 'Émile'],
  ['Take 5 mg', '5 mg'],
  ['MRI result', 'mr'],
  ['Straße 12', 'straße'],
  ['腎臓内科の予約', '内科'],
  ['ﬁnal bill', 'final'],
  ['The visit is at 10:30', '10:30'],
  ['Weight 59.4 kg', '59.4'],
  ['Invoice 2026-0417/3', '2026-0417'],
  ['Your blood test is back', '"blood test"'],
  ['Your blood test is back', '“Blood Test” back'],
  ['Your blood test is back', '"blood test'],
  ['A test, then blood', 'blood test'],
  ['腎臓内科の予約', '"内科"'],
]
for (const [text, search] of found)
  test(`“${text}” is found by “${search}”`, (t) => {
    t.true(isFound(text, search))
  })

const missed: [string, string][] = [
  ['Your appointment on Tuesday', 'appointments'],
  ['Your appointment on Tuesday', 'pointment'],
  ['Your appointment on Tuesday', 'appointment wednesday'],
  ['腎臓内科の予約', '外科'],
  ['Take 5 mg', '.*'],
  ['From 14:00-14:30, room 10', '10:30'],
  ['On 10 March at 14:30', '10:30'],
  ['Take 500 mg', '5 mg'],
  ['A test, then blood', '"blood test"'],
  ['Your blood tests', '"blood test"'],
]

test('a phrase does not span two texts', (t) => {
  const { words } = indexWords(['About blood', 'test results'])
  t.false(searchWords('"blood test"').phrases.every(({ pattern }) => pattern.test(words)))
})

for (const [text, search] of missed)
  test(`“${text}” is not found by “${search}”`, (t) => {
    t.false(isFound(text, search) && searchWords(search).keys.length > 0)
  })

for (const letters of ['aZéßñøжДλ9ǆİ', '腎臓内科', 'एकपण', '의원'])
  test(`a word of ${letters} is found by any prefix of two or more letters`, (t) => {
    const letter = fc.constantFrom(...letters)
    const property = fc.property(fc.array(letter, { minLength: 2, maxLength: 12 }), fc.nat(), (word, pick) => {
      const beginning = word.slice(0, 2 + (pick % (word.length - 1))).join('')
      return /^\d+$/.test(beginning) || isFound(`Before, ${word.join('')} and after`, beginning)
    })
    t.notThrows(() => fc.assert(property, { numRuns: 1000 }))
  })

test('at most a few thousand words of a text are indexed', (t) => {
  const text = Array.from({ length: 1_000_000 }, (_, index) => `w${index}`).join(' ')
  t.is(indexWords([text]).words.split(' ').length - 1, 3000)
})

test('people are found by the start of a name or address, and by nothing in the text', (t) => {
  const { keys, words } = indexPeople(['Dr. Émile Osei', 'emile.osei@clinic.example'])
  const isTheirs = (...names: string[]) => {
    const wanted = searchPeople(names)
    return wanted.keys.every((key) => keys.includes(key)) && wanted.phrases.every(({ pattern }) => pattern.test(words))
  }
  for (const name of ['Osei', 'os', 'emile', 'Dr. Emile Ose', 'emile.osei@clinic', 'clinic.example', 'clinic'])
    t.true(isTheirs(name), name)
  for (const name of ['sei', 'Osei Emile', 'lab', 'emile.osei@other']) t.false(isTheirs(name), name)
  t.true(isTheirs('osei', 'clinic'))
  t.false(isTheirs('osei', 'lab'))
  t.deepEqual(
    indexWords(['Osei']).keys.filter((key) => keys.includes(key)),
    [],
  )
})
