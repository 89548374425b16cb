import test from 'ava'
import { checkLinearizable, type Operation } from './_linearizable.ts'

const at = (callNs: number, returnNs?: number) => ({ client: 1, callNs, ...(returnNs !== undefined && { returnNs }) })
const write = (value: string, callNs: number, returnNs?: number): Operation => ({
  object: 'a key',
  model: 'register',
  kind: 'write',
  value,
  ...at(callNs, returnNs),
})
const read = (value: string, callNs: number, returnNs: number): Operation => ({
  ...(write(value, callNs, returnNs) as Operation & { model: 'register' }),
  kind: 'read',
})
const claim = (value: string, granted: boolean, callNs: number, returnNs?: number): Operation => ({
  object: 'a sandbox',
  model: 'claim',
  kind: 'claim',
  value,
  granted,
  ...at(callNs, returnNs),
})
const spend = (granted: boolean, callNs: number, returnNs?: number): Operation => ({
  object: 'a limit of one',
  model: 'limit',
  kind: 'spend',
  limit: 1,
  granted,
  ...at(callNs, returnNs),
})

const RIGHT: Record<string, Operation[]> = {
  'a read during a write sees either': [write('1', 0, 5), write('2', 10, 20), read('1', 11, 12), read('2', 13, 14)],
  'a write without an answer may happen late': [write('1', 0, 5), write('2', 6), read('1', 10, 11), read('2', 50, 51)],
  'the second to claim is refused': [claim('Ana', true, 0, 9), claim('Rui', false, 1, 10), claim('Ana', true, 20, 30)],
  'a claim without an answer may have happened': [claim('Ana', false, 0), claim('Rui', false, 5, 6)],
  'one of two is within the limit': [spend(true, 0, 9), spend(false, 1, 10)],
}

const WRONG: Record<string, Operation[]> = {
  'a read after a write is stale': [write('1', 0, 5), write('2', 10, 20), read('1', 21, 22)],
  'a read goes back': [write('1', 0, 5), write('2', 6), read('2', 10, 11), read('1', 20, 21)],
  'two claim': [claim('Ana', true, 0, 9), claim('Rui', true, 1, 10)],
  'a claim is refused before anybody has it': [claim('Rui', false, 0, 4), claim('Ana', true, 5, 6)],
  'two are within a limit of one': [spend(true, 0, 9), spend(true, 1, 10)],
}

/** Fifty tries of each of three, while nothing answers. */
const unanswered = Array.from({ length: 150 }, (_, nth) => claim(`claimant ${nth % 3}`, false, nth))

for (const [what, history] of Object.entries(RIGHT))
  test(`the checker accepts that ${what}`, async (t) => {
    t.deepEqual((await checkLinearizable(history)).wrong, [])
  })

for (const [what, history] of Object.entries(WRONG))
  test(`the checker finds that ${what}`, async (t) => {
    t.deepEqual((await checkLinearizable(history)).wrong, [String(history[0]?.object)])
  })

test('the checker decides about claims that were tried for a long time without an answer', async (t) => {
  const rightly = [...unanswered, claim('claimant 1', true, 200, 201), claim('claimant 2', false, 202, 203)]
  const wrongly = [...rightly, claim('claimant 0', true, 204, 205)]
  t.like(await checkLinearizable(rightly), { wrong: [], undecided: [] })
  t.like(await checkLinearizable(wrongly), { wrong: ['a sandbox'], undecided: [] })
})
