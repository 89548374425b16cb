import anyTest from 'ava'
import { openSite } from './_site.ts'
import { newWorld } from './_world.ts'
import { appointment } from './world/_appointments.ts'

// Serial, each in a new world.
const test = anyTest.serial
const site = await openSite()
test.beforeEach(() => Object.assign(site.world, newWorld()))
test.after.always(() => site[Symbol.asyncDispose]())

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'

/** @param from the browser's Sec-Fetch-Site */
async function open(from: 'none' | 'same-origin', userAgent = PHONE): Promise<string> {
  site.world.sessions.add('secret')
  const cookie = 'family_session=secret; time_zone=Europe%2FLisbon'
  const headers = { cookie, accept: 'text/html', 'sec-fetch-site': from, 'user-agent': userAgent }
  const { body } = await site.request('/', { headers })
  return /<h1[^>]*>(?:<bdi>)?([^<]+)/.exec(body)?.[1] ?? ''
}

test('opened on a phone, the application begins with what comes next if something is due', async (t) => {
  t.is(await open('none'), 'Rosa Martin’s inbox')
  site.world.appointments = [appointment('apt_1', 200)]
  t.is(await open('none'), 'Rosa Martin’s inbox', 'next week is not due')
  site.world.appointments = [appointment('apt_1', 0)]
  t.is(await open('none'), 'What comes next for Rosa Martin')
  t.is(await open('same-origin'), 'Rosa Martin’s inbox', 'its own links to the inbox lead there')
  t.is(await open('none', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140'), 'Rosa Martin’s inbox', 'a desk has both')
  site.world.appointments = [appointment('apt_1', 0, { canceled: true })]
  t.is(await open('none'), 'Rosa Martin’s inbox')
})
