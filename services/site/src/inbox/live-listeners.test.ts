import test from 'ava'
import { createLiveListeners } from './live-listeners.ts'

const family = (sessionId: string, workspaceId = 'ws_a') => ({ sessionId, workspaceId })

test('four windows of a session listen at once, and the oldest makes way for a fifth', (t) => {
  const live = createLiveListeners()
  const gone = new AbortController()
  const windows = Array.from({ length: 5 }, () => live.admit(family('a'), gone.signal))
  t.deepEqual(
    windows.map((signal) => signal?.aborted),
    [true, false, false, false, false],
  )
  t.false(live.admit(family('b'), gone.signal)?.aborted)
})

test('a window that is closed stops at once, and no other makes way for the next', (t) => {
  const live = createLiveListeners()
  const reader = new AbortController()
  const others = new AbortController()
  const closed = live.admit(family('a'), reader.signal)
  const kept = [1, 2, 3].map(() => live.admit(family('a'), others.signal))
  reader.abort()
  t.true(closed?.aborted)
  kept.push(live.admit(family('a'), others.signal))
  t.deepEqual(
    kept.map((signal) => signal?.aborted),
    [false, false, false, false],
  )
})

test('a family with many sessions leaves enough to listen for another family', (t) => {
  const live = createLiveListeners()
  const { signal } = new AbortController()
  let admitted = 0
  while (live.admit(family(`s${admitted}`), signal) !== undefined) admitted += 1
  t.is(admitted, 2000)
  t.truthy(live.admit(family('b', 'ws_b'), signal))
})

test('a reader who has gone before listening began is not counted', (t) => {
  t.is(createLiveListeners().admit(family('a'), AbortSignal.abort()), undefined)
})
