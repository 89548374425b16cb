import test from 'ava'
import { cutPage, newerThan, olderThan, readPageSize } from './page.ts'

const rows = [3, 2, 1].map((n) => ({ _id: `row${n}`, at: new Date(n * 1000) }))

test('the last page has no next page token', (t) => {
  t.deepEqual(
    cutPage(rows, 3, (row) => row.at),
    { page: rows, nextPageToken: '' },
  )
})

test('the next page starts after the last row of this one', (t) => {
  const { page, nextPageToken } = cutPage(rows, 2, (row) => row.at)
  t.is(page.length, 2)
  t.deepEqual(olderThan('at', nextPageToken), {
    at: { $lte: new Date(2000) },
    $or: [{ at: { $lt: new Date(2000) } }, { at: new Date(2000), _id: { $lt: 'row2' } }],
  })
})

test('equal times are ordered by the next field, finally by id', (t) => {
  const twice = rows.map((row) => ({ ...row, seen: new Date(7000) }))
  const { nextPageToken } = cutPage(twice, 2, (row) => [row.at, row.seen])
  t.deepEqual(newerThan(['at', 'seen'], nextPageToken), {
    at: { $gte: new Date(2000) },
    $or: [
      { at: { $gt: new Date(2000) } },
      { at: new Date(2000), seen: { $gt: new Date(7000) } },
      { at: new Date(2000), seen: new Date(7000), _id: { $gt: 'row2' } },
    ],
  })
  t.throws(() => olderThan('at', nextPageToken), { message: /cursor must be/ })
  t.throws(() => olderThan(['at', 'seen', 'more'], nextPageToken), { message: /cursor must be/ })
})

const forged = [
  'x',
  'eyJhIjoxfQ',
  Buffer.from('[1e99,"a"]').toString('base64url'),
  Buffer.from('[1,{"$ne":1}]').toString('base64url'),
]
for (const token of forged) {
  test(`the cursor ${token} is rejected`, (t) => {
    t.throws(() => olderThan('at', token), { message: /cursor must be/ })
  })
}

test('a page size of 0 is the default; anything outside the range is rejected', (t) => {
  t.is(readPageSize(0, { byDefault: 20, max: 50 }), 20)
  t.is(readPageSize(50, { byDefault: 20, max: 50 }), 50)
  for (const size of [-1, 51, 2 ** 31])
    t.throws(() => readPageSize(size, { byDefault: 20, max: 50 }), { message: /1 to 50/ })
})
