import test from 'ava'
import { isSentFromOurPages } from './own-pages.ts'

const ours = 'https://inbox.example'

const cases: [Record<string, string>, boolean, string][] = [
  [{ 'sec-fetch-site': 'same-origin', origin: ours }, true, 'a form on one of our pages'],
  [{ 'sec-fetch-site': 'none' }, true, 'a form resubmitted by reloading'],
  [{ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false, 'a form on another site'],
  [{ 'sec-fetch-site': 'same-site', origin: 'https://www.example' }, false, 'a form on a sibling host'],
  [{ 'sec-fetch-site': 'cross-site', origin: ours }, false, 'a form whose origin a proxy rewrote'],
  [{ 'sec-fetch-site': 'SAME-ORIGIN' }, false, 'an invalid header value'],
  [{ 'sec-fetch-site': '' }, false, 'an empty header'],
  [{ origin: ours }, true, 'a form on one of our pages, in an old browser'],
  [{ origin: 'null' }, false, 'a form in a sandboxed frame, in an old browser'],
  [{ origin: 'https://inbox.example.evil.example' }, false, 'a host that starts like ours'],
  [{ origin: 'http://inbox.example' }, false, 'our host without TLS'],
  [{ origin: `${ours}:8443` }, false, 'our host on another port'],
  [{}, false, 'a request without origin headers'],
]
for (const [headers, expected, what] of cases)
  test(`${what} is ${expected ? 'accepted' : 'refused'}`, (t) => {
    t.is(isSentFromOurPages(headers, ours), expected)
  })
