import test from 'ava'
import { cutPage, olderThan, readPageSize } from './page.ts'

const rows = [3, 2, 1].map((n) => ({ _id: `row${n}`, at: new Date(n * 1000) }))

test('the last page has no next one', (t) => {
  t.deepEqual(
    cutPage(rows, 3, (row) => row.at),
    { page: rows, nextPageToken: '' },
  )
})

test('the next page begins after the last row of this one', (t) => {
  const { page, nextPageToken } = cutPage(rows, 2, (row) => row.at)
  t.is(page.length, 2)
  t.deepEqual(olderThan('at', nextPageToken), {
    at: { $lte: new Date(2000) },
    $or: [{ at: { $lt: new Date(2000) } }, { _id: { $lt: 'row2' } }],
  })
})

const forged = [
  'x',
  'eyJhIjoxfQ',
  Buffer.from('[1e99,"a"]').toString('base64url'),
  Buffer.from('[1,{"$ne":1}]').toString('base64url'),
]
for (const token of forged) {
  test(`the cursor ${token} is refused`, (t) => {
    t.throws(() => olderThan('at', token), { message: /cursor must be/ })
  })
}

test('a page size of 0 is the default; anything outside the range is refused', (t) => {
  t.is(readPageSize(0, { byDefault: 20, max: 50 }), 20)
  t.is(readPageSize(50, { byDefault: 20, max: 50 }), 50)
  for (const size of [-1, 51, 2 ** 31])
    t.throws(() => readPageSize(size, { byDefault: 20, max: 50 }), { message: /1 to 50/ })
})
