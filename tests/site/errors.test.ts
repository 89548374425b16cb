import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest from 'ava'
import { until } from '../_wait.ts'
import { openSite } from './_site.ts'
import { newWorld } from './_world.ts'
import { careEvent, visitEnded } from './world/_timeline.ts'

const SESSION = { cookie: 'family_session=secret' }

// Serial, each in a new world.
const test = anyTest.serial
const site = await openSite()
test.beforeEach(() => Object.assign(site.world, newWorld()))
test.after.always(() => site[Symbol.asyncDispose]())

async function failingHome(error: StatusError, accept: string) {
  site.world.sessions.add('secret')
  site.world.failures.set('browseMessages', error)
  return site.request('/', { headers: { ...SESSION, accept } })
}

const table: [Status, number, string][] = [
  ['INVALID_ARGUMENT', 400, 'bad_request'],
  ['NOT_FOUND', 404, 'not_found'],
  ['ALREADY_EXISTS', 409, 'conflict'],
  ['RESOURCE_EXHAUSTED', 429, 'rate_limited'],
  ['FAILED_PRECONDITION', 409, 'conflict'],
  ['UNAUTHENTICATED', 401, 'unauthenticated'],
  ['UNAVAILABLE', 503, 'unavailable'],
  ['DEADLINE_EXCEEDED', 503, 'unavailable'],
  ['INTERNAL', 500, 'internal'],
]
for (const [status, expected, code] of table)
  test(`${status} becomes ${expected}: a page for browsers, an error object for others`, async (t) => {
    const page = await failingHome(new StatusError(status, 'In plain words.'), 'text/html,*/*;q=0.8')
    t.is(page.status, expected)
    t.regex(String(page.headers['content-type']), /^text\/html; charset=utf-8/i)
    const object = await failingHome(new StatusError(status, 'In plain words.'), 'application/json')
    t.is(object.status, expected)
    const { error } = JSON.parse(object.body)
    t.is(error.code, code)
    for (const part of ['message', 'hint']) t.true(error[part].length > 10)
    for (const answer of [page, object]) {
      t.is(answer.headers['cache-control'], 'no-store')
      t.regex(String(answer.headers.vary), /^Accept\b/)
    }
  })

test('a rate limit tells people and programs how long to wait', async (t) => {
  const limited = new StatusError('RESOURCE_EXHAUSTED', 'Too many.', { retryAfterSec: 300 })
  const page = await failingHome(limited, 'text/html')
  t.true(page.body.includes('Wait 5 minutes'))
  t.is(page.headers['retry-after'], '300')
  t.is((await failingHome(limited, '*/*')).headers['retry-after'], '300')
})

test('an unexpected error reveals no internal details', async (t) => {
  const answer = await failingHome(new StatusError('INTERNAL', 'E11000 duplicate key: ana@example.org'), '*/*')
  t.notRegex(answer.body, /E11000|ana@/)
})

test('an unresponsive service is reported', async (t) => {
  site.world.sessions.add('secret')
  site.world.stalls.set('enterWorkspace', new Promise(() => {}))
  const answer = await site.request('/', { headers: SESSION })
  t.is(answer.status, 503)
})

test('of eight pages that one browser asks for at once, two wait, and other browsers do not', async (t) => {
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>()
  for (const session of ['secret', 'other']) site.world.sessions.add(session)
  site.world.stalls.set('browseMessages', answers)
  const entered = () => site.world.calls.filter(({ method }) => method === 'enterWorkspace').length
  const pages = Array.from({ length: 8 }, () => site.request('/', { headers: SESSION }))
  await until(async () => entered() === 6)
  const headers = { cookie: 'family_session=other' }
  t.is((await site.request('/settings/profile', { headers })).status, 200)
  t.is(entered(), 7, 'nobody but the other browser')
  answer()
  t.deepEqual(new Set((await Promise.all(pages)).map(({ status }) => status)), new Set([200]))
  t.is(entered(), 9)
})

for (const [accept, type] of [
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/plain', 'application/json'],
] as const)
  test(`a missing page answers ${type} to Accept: ${accept}`, async (t) => {
    const answer = await site.request('/nowhere', { headers: { accept } })
    t.is(answer.status, 404)
    t.true(String(answer.headers['content-type']).startsWith(type))
  })

test('an unsupported method is refused and the allowed ones are listed', async (t) => {
  for (const [method, path, allow] of [
    ['DELETE', '/sign-in', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/', 'GET, HEAD, OPTIONS'],
    ['GET', '/sign-out', 'POST, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await site.request(path, { method, headers: { accept: '*/*', 'content-length': '0' } })
    t.is(answer.status, 405, `${method} ${path}`)
    t.is(answer.headers.allow, allow)
    t.is(JSON.parse(answer.body).error.code, 'method_not_allowed')
  }
  const options = await site.request('/sign-in', { method: 'OPTIONS' })
  t.is(options.status, 204)
  t.is(options.headers.allow, 'GET, HEAD, POST, OPTIONS')
  t.is((await site.request('/sign-in', { method: 'HEAD' })).body, '')
})

test('a malformed path or form is a client error', async (t) => {
  t.is((await site.request('/%ff%')).status, 404)
  t.is((await site.request('/consent/%E0%A4%A')).status, 400)
  const origin = site.url
  const large = { method: 'POST', form: { email: 'x'.repeat(40_000) }, headers: { origin } }
  t.is((await site.request('/sign-in', large)).status, 400)
  const json = { method: 'POST', headers: { origin, 'content-type': 'application/json', 'content-length': '0' } }
  t.is((await site.request('/sign-in', json)).status, 422)
})

test('a foreign Host is refused', async (t) => {
  t.is((await site.request('/sign-in', { host: 'evil.example' })).status, 421)
})

test('every response forbids framing, sniffing, foreign scripts and other origins', async (t) => {
  for (const path of ['/sign-in', '/nowhere', '/', '/signed-out']) {
    const { headers } = await site.request(path)
    t.regex(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; /,
    )
    t.notRegex(String(headers['content-security-policy']), /unsafe|https?:|\*/)
    t.regex(String(headers['content-security-policy']), /frame-ancestors 'none'; base-uri 'none'/)
    t.is(headers['x-content-type-options'], 'nosniff')
    t.is(headers['referrer-policy'], 'same-origin')
    t.is(headers['x-powered-by'], undefined)
  }
  t.regex(String((await site.request('/signed-out')).headers['content-security-policy']), /form-action 'self'/)
  t.notRegex(String((await site.request('/sign-in')).headers['content-security-policy']), /form-action/)
})

test('the style sheet is small, compressed, and cached forever', async (t) => {
  const path = /href="(\/assets\/site\.[\w-]+\.css)"/.exec((await site.request('/sign-in')).body)?.[1] ?? ''
  const plain = await site.request(path)
  t.is(plain.status, 200)
  t.is(plain.headers['content-type'], 'text/css; charset=utf-8')
  t.is(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  const packed = await site.request(path, { headers: { 'accept-encoding': 'gzip, br' } })
  t.is(packed.headers['content-encoding'], 'br')
  t.true(Number(packed.headers['content-length'] ?? 0) < 12_000)
  const again = await site.request(path, { headers: { 'if-none-match': String(plain.headers.etag) } })
  t.is(again.status, 304)
  t.is(again.body, '')
})

test('a member keeps the navigation on a page that is not there, or not for them', async (t) => {
  site.world.sessions.add('secret')
  const html = { headers: { ...SESSION, accept: 'text/html' } }
  const mistyped = await site.request('/setings', html)
  t.is(mistyped.status, 404)
  t.regex(mistyped.body, /Page not found.*/s)
  t.regex(mistyped.body, /aria-label="Main".*href="\/settings"/s)
  t.notRegex(mistyped.body, /aria-current="page"/)
  const stranger = await site.request('/timeline/lo_nobody', html)
  t.is(stranger.status, 404)
  t.regex(stranger.body, /href="\/timeline" aria-current="page"/)
  t.notRegex((await site.request('/setings', { headers: { accept: 'text/html' } })).body, /aria-label="Main"/)
})

test('without a script, times are in the time zone of the reader’s settings', async (t) => {
  site.world.sessions.add('secret')
  site.world.settings.notifications.timeZone = 'America/New_York'
  site.world.careEvents = [careEvent('lo_rosa', 3, visitEnded(45))]
  const first = await site.request('/timeline', { headers: { ...SESSION, accept: 'text/html' } })
  t.notRegex(first.body, /UTC/)
  t.regex(String(first.headers['set-cookie']), /time_zone=America\/New_York; Max-Age=31536000; Path=\/; SameSite=Lax/)
  const known = { ...SESSION, cookie: `${SESSION.cookie}; time_zone=Europe%2FLisbon`, accept: 'text/html' }
  const next = await site.request('/timeline', { headers: known })
  t.is(next.headers['set-cookie'], undefined, 'what the browser says counts')
})
