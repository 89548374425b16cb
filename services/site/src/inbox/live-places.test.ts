import test from 'ava'
import { createLivePlaces } from './live-places.ts'

test('a session listens at four places, and one given back, however often, is one place', (t) => {
  const live = createLivePlaces()
  const places = Array.from({ length: 4 }, () => live.take('ses_1'))
  t.true(places.every((place) => place !== undefined))
  t.is(live.take('ses_1'), undefined)
  t.truthy(live.take('ses_2'))
  places[0]?.()
  places[0]?.()
  t.truthy(live.take('ses_1'))
  t.is(live.take('ses_1'), undefined)
})

test('a process holds two thousand', (t) => {
  const live = createLivePlaces()
  for (let index = 0; index < 2000; index += 1) t.truthy(live.take(`ses_${index}`))
  t.is(live.take('ses_more'), undefined)
})
