import test from 'ava'
import { createFairBudget, type FairBudget } from './fair-budget.ts'

/** Takes units until this owner may take no more. */
function takeAll(budget: FairBudget, owner: string, unit = 1): number {
  let taken = 0
  while (budget.take([owner], unit) !== undefined) taken += unit
  return taken
}

test('a single owner gets half, each further one as much as is left for the next', (t) => {
  const budget = createFairBudget(1000)
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((owner) => takeAll(budget, owner)),
    [500, 250, 125, 62],
  )
  t.is(takeAll(budget, 'e'), 31)
  t.is(takeAll(budget, 'a'), 0)
})

test('an owner gets no more than the most for each', (t) => {
  const budget = createFairBudget(1000, 300)
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((owner) => takeAll(budget, owner)),
    [300, 300, 200, 100],
  )
  t.is(createFairBudget(1000, 300).take(['a'], 301), undefined)
})

test('the only share of an owner may be as large as what is left, and no larger', (t) => {
  const budget = createFairBudget(100)
  t.is(budget.take(['a'], 101), undefined)
  const only = budget.take(['a'], 10)
  t.true(only?.resize(100))
  t.false(only?.resize(101))
  t.is(budget.take(['b'], 1), undefined)
  t.true(only?.resize(50))
  t.is(budget.take(['a'], 1), undefined)
  t.truthy(budget.take(['b'], 50))
})

test('a share counts for each of its owners, and once for the whole', (t) => {
  const budget = createFairBudget(100)
  const both = budget.take(['peer', 'family', 'family'], 50)
  t.is(budget.held, 50)
  t.is(budget.take(['peer', 'another family'], 1), undefined)
  t.is(budget.take(['another peer', 'family'], 1), undefined)
  t.truthy(budget.take(['another peer', 'another family'], 1))
  both?.[Symbol.dispose]()
  both?.[Symbol.dispose]()
  t.is(budget.held, 1)
})

test('a waiting owner gets a returned share, and stops waiting on abort', async (t) => {
  const budget = createFairBudget(10)
  const first = budget.take(['a'], 10)
  const waiting = budget.takeWhenFree(['b'], 10, AbortSignal.timeout(10_000))
  first?.[Symbol.dispose]()
  const second = await waiting
  t.is(budget.held, 10)
  t.is(await budget.takeWhenFree(['c'], 1, AbortSignal.timeout(100)), undefined)
  second?.[Symbol.dispose]()
  t.is(budget.held, 0)
})
