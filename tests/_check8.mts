import { connect as tcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { send, startFamily } from './_family.ts'
import { startMailSink } from './_mail-sink.ts'
import { openMailer } from './_mailer.ts'
import { connectApplication, signIn } from './_visitor.ts'
import { foundWorkspace } from './_workspace.ts'

const results: string[] = []
const check = (point: string, ok: boolean, detail: unknown = '') => {
  const l = `${ok ? 'ok  ' : 'FAIL'} ${point} ${ok ? '' : String(typeof detail === 'string' ? detail : JSON.stringify(detail)).slice(0, 400)}`
  results.push(l)
  console.log(l)
}
const sink = await startMailSink()
const f = await startFamily({ processes: 'single', env: { SMTP_URL: sink.url, INVITATIONS_PER_DAY: '2' } })
try {
  const { apiUrl, inboxUrl, baseUrl } = f.stack
  const { owner, viewer } = f.family.keys
  const lovedOneId = f.family.lovedOnes[0]?.id
  const list = await f.call(owner, 'list_inbox_messages', { lovedOneId })
  const messageId = list.json.result.structuredContent.messages[0].id
  // 1 same reply twice without a key
  const r1 = await f.call(owner, 'reply_to_inbox_message', { messageId, body: 'Same text.' })
  const r2 = await f.call(owner, 'reply_to_inbox_message', { messageId, body: 'Same text.' })
  const r3 = await f.call(owner, 'reply_to_inbox_message', { messageId, body: 'Same text.', idempotencyKey: 'other' })
  check(
    '1 same text is the same reply',
    r1.json.result.structuredContent.replyId === r2.json.result.structuredContent.replyId,
    r2.text,
  )
  check(
    '1 another key is another reply',
    r3.json.result.structuredContent.replyId !== r1.json.result.structuredContent.replyId,
    r3.text,
  )
  await sleep(1500)
  check(
    '1 mailed twice in all',
    sink.mails.filter(({ raw }) => raw.includes('Same text.')).length === 2,
    sink.mails.length,
  )
  // 1 NATS away (pause): queued
  await f.stack.pause('nats-server')
  const away = await f.call(owner, 'reply_to_inbox_message', { messageId, body: 'While NATS is away.' })
  check(
    '1 NATS away: queued',
    away.json?.result?.structuredContent?.status === 'queued' || away.text.includes('queued'),
    away.text,
  )
  const inv = await f.call(owner, 'invite_family_member', { email: 'a1@guest.example', role: 'viewer' })
  check('1 NATS away: invitation is answered', inv.json?.result?.isError !== true && inv.status === 200, inv.text)
  f.stack.resume('nats-server')
  // 2 mails
  const w = await foundWorkspace(f.stack)
  const key = (await w.owner.mintKey()).secret
  const mailer = openMailer(f.stack)
  const encs: [string, string, string][] = [
    ['7-bit', 'Plain words here.', 'Plain words here.'],
    ['plain', 'Plain words here.', 'Plain words here.'],
    ['text/html', 'Plain words here.', 'Plain words here.'],
    ['spam, with 8 bits', 'Plain words here.', 'Plain words here.'],
    ['X-UNKNOWN', 'Plain words here.', 'Plain words here.'],
    ['8 bits', 'Olá words', 'Olá words'],
    ['X-UNKNOWN', 'Caf=C3=A9 is open =E2=80=93 come in', 'Café is open – come in'],
    [
      'unknown',
      Buffer.from(
        'Words that were encoded in base64, long enough to be recognised as such by anybody who looks at it.',
      ).toString('base64'),
      'Words that were encoded in base64',
    ],
  ]
  for (const [enc, body, expected] of encs) {
    const { id, inboxAddress } = await w.addLovedOne()
    await mailer.deliver(
      inboxAddress,
      Buffer.from(
        `From: Desk <desk@clinic.example>\r\nTo: <${inboxAddress}>\r\nSubject: S\r\nMessage-ID: <${Math.random()}@clinic.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${enc}\r\n\r\n${body}\r\n`,
      ),
    )
    const l = await f.call(key, 'list_inbox_messages', { lovedOneId: id })
    const m = l.json.result.structuredContent.messages[0]
    const g = await f.call(key, 'get_inbox_message', { messageId: m?.id, lovedOneId: id })
    check(`2 Content-Transfer-Encoding ${enc}`, g.text.includes(JSON.stringify(expected).slice(1, -1)), g.text)
  }
  {
    const { id, inboxAddress } = await w.addLovedOne()
    await mailer.deliver(
      inboxAddress,
      `From: Desk <desk@clinic.example>\r\nTo: <${inboxAddress}>\r\nSubject: S\r\nMessage-ID: <alt${Math.random()}@clinic.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYour browser does not support HTML\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>The visit is on Monday.</p>\r\n--b--\r\n`,
    )
    const l = await f.call(key, 'list_inbox_messages', { lovedOneId: id })
    const g = await f.call(key, 'get_inbox_message', {
      messageId: l.json.result.structuredContent.messages[0]?.id,
      lovedOneId: id,
    })
    check('2 alternative without HTML support shows HTML', g.text.includes('The visit is on Monday.'), g.text)
  }
  // 3 viewer by OAuth
  const visitor = await signIn(f as never, sink, f.family.people.viewer)
  for (const scopes of [
    ['profile:read', 'care_circle:read', 'care_circle:write'],
    ['profile:read', 'care_circle:read'],
  ]) {
    const token = await connectApplication(f as never, visitor, scopes)
    const a = await f.call(token.access_token, 'create_provider_code', { lovedOneId })
    check(
      `3 viewer's write by OAuth (${scopes.length} scopes) is isError`,
      a.status === 200 && a.json.result?.isError === true,
      `${a.status} ${a.text}`,
    )
  }
  // 4 unauthenticated
  const mcp = `${apiUrl}/mcp/v1`
  for (const [what, options] of Object.entries({
    'wrong type': { headers: { 'content-type': 'text/plain' }, body: 'x' },
    'no body': { headers: {} },
    'no type': { body: '{}' },
    large: { headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(300_000)}"` },
  } as Record<string, object>)) {
    const a = await send(mcp, { method: 'POST', ...options }).catch((e) => ({
      status: 0,
      headers: {} as Record<string, string>,
      text: String(e),
    }))
    check(
      `4 unauthenticated, ${what}: 401 with challenge`,
      a.status === 401 && /^Bearer/.test(String(a.headers['www-authenticate'])),
      `${a.status} ${a.text}`,
    )
  }
  for (const [what, authorization] of Object.entries({
    doubled: `Bearer Bearer ${owner}`,
    quoted: `Bearer "${owner}"`,
    '10 KB': `Bearer ${'a'.repeat(10_000)}`,
    'not ASCII': `Bearer caf\u00e9`,
    comma: `Bearer ${owner}, Bearer ${owner}`,
    space: `Bearer ${owner} x`,
  })) {
    const a = await send(mcp, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    }).catch((e) => ({ status: 0, headers: {} as Record<string, string>, text: String(e) }))
    check(
      `4 bearer ${what}`,
      a.status === 401 && String(a.headers['www-authenticate']).includes('error="invalid_token"'),
      `${a.status} ${a.headers['www-authenticate']}`,
    )
  }
  // 5 null
  const raw = (name: string, args: unknown) =>
    f.post(owner, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const fine = (a: { status: number; json: { result?: { isError?: boolean } } }) =>
    a.status === 200 && a.json.result !== undefined && a.json.result.isError !== true
  for (const [name, args] of [
    ['list_loved_ones', null],
    ['list_family_members', null],
    ['get_user_profile', null],
    [
      'list_inbox_messages',
      { lovedOneId, cursor: null, limit: null, since: null, until: null, category: null, query: null },
    ],
    ['list_care_events', { lovedOneId, cursor: null, limit: null, since: null, until: null, types: null }],
    ['list_care_events', { lovedOneId, since: '', types: [] }],
    ['list_inbox_messages', { lovedOneId, since: '' }],
    ['reply_to_inbox_message', { messageId, body: 'Nulls.', idempotencyKey: null, expectedTo: null }],
  ] as [string, unknown][]) {
    const a = await raw(name, args)
    check(`5 ${name} ${JSON.stringify(args)?.slice(0, 60)}`, fine(a), a.text)
  }
  const list5 = await f.post(owner, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: null } })
  check('5 tools/list cursor null', list5.json.result?.tools !== undefined, list5.text)
  const pn = await f.post(owner, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: null })
  check('5 params null', pn.json.result?.tools !== undefined, pn.text)
  const nullInvite = await raw('invite_family_member', {
    email: 'a2@guest.example',
    role: 'viewer',
    relationship: null,
    message: null,
    idempotencyKey: null,
  })
  check('5/6 invite with nulls', nullInvite.status === 200, nullInvite.text)
  // 6 quota
  let quota = nullInvite
  for (let n = 0; n < 3; n += 1)
    quota = await raw('invite_family_member', { email: `b${n}@guest.example`, role: 'viewer' })
  check(
    '6 invitation quota is a tool result in its own words',
    quota.status === 200 &&
      quota.json.result?.isError === true &&
      /invitation/i.test(quota.text) &&
      !/Too many calls/.test(quota.text) &&
      quota.headers['retry-after'] === undefined,
    `${quota.status} ${quota.headers['retry-after']} ${quota.text}`,
  )
  // 8 announced large body
  const announced = (url: string, path: string, type: string, length: number, more = '') =>
    new Promise<{ first: string; ms: number }>((resolve) => {
      const { hostname, port, host } = new URL(url)
      const t0 = performance.now()
      const s = tcp(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
      s.on('error', (e) => resolve({ first: String(e), ms: performance.now() - t0 }))
      let got = ''
      s.on('data', (d) => {
        got += d
        if (got.includes('\r\n')) {
          resolve({ first: got.split('\r\n')[0] ?? '', ms: performance.now() - t0 })
          s.destroy()
        }
      })
      s.on('close', () => resolve({ first: got.split('\r\n')[0] || 'closed', ms: performance.now() - t0 }))
      setTimeout(() => {
        resolve({ first: 'nothing', ms: 4000 })
        s.destroy()
      }, 4000)
      s.write(
        `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n${more}\r\n`,
      )
    })
  const auth = `Authorization: Bearer ${owner}\r\n`
  for (const [what, url, path, type, more] of [
    ['mcp with key', apiUrl, '/mcp/v1', 'application/json', auth],
    ['public mcp', inboxUrl, '/api/mcp/public', 'application/json', ''],
    ['app mcp', inboxUrl, '/api/mcp', 'application/json', auth],
    ['pipe', apiUrl, '/pipe/v1/events', 'application/json', ''],
    ['form', inboxUrl, '/sign-in', 'application/x-www-form-urlencoded', `Origin: ${inboxUrl}\r\n`],
    ['token', inboxUrl, '/oauth/token', 'application/x-www-form-urlencoded', ''],
    ['register', inboxUrl, '/oauth/register', 'application/json', ''],
  ] as const) {
    const a = await announced(url, path, type, 50_000_000, more)
    check(`8 announced 50 MB, ${what}`, /413|closed/.test(a.first) && a.ms < 1000, a)
    if (!/413|closed/.test(a.first) === false) results.push(`     ${what}: ${a.first} in ${a.ms.toFixed(0)} ms`)
  }
  const big = await send(`${inboxUrl}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `a=${'x'.repeat(8_000_000)}`,
  }).catch((e) => ({ status: 0, text: String(e) }))
  check('8 8 MB to /oauth/token', big.status === 413 || /ECONNRESET|EPIPE/.test(big.text), `${big.status} ${big.text}`)
  const pa = await f.post(owner, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] })
  results.push(`     params []: ${pa.status} ${pa.text.slice(0, 160)}`)
  for (const url of [apiUrl, inboxUrl, baseUrl]) {
    const a = await send(`${url}/.well-known/nothing-here`)
    check(
      `8 unknown well-known at ${url}`,
      a.status === 404 && /^application\/json/.test(String(a.headers['content-type'])),
      `${a.status} ${a.headers['content-type']}`,
    )
  }
  for (const url of [baseUrl, inboxUrl]) {
    const a = await send(`${url}/`, { headers: { accept: 'text/markdown;' } })
    check(
      `8 Accept text/markdown; at ${url}`,
      a.status === 200 && /^text\/markdown/.test(String(a.headers['content-type'])),
      `${a.status} ${a.headers['content-type']}`,
    )
  }
  const reg = await send(`${inboxUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: { a: 1 }, redirect_uris: ['https://x.example/cb'] }),
  })
  check(
    '8 client_name as object',
    reg.status === 400 && reg.json.error === 'invalid_client_metadata',
    `${reg.status} ${reg.text}`,
  )
  // own mail returns
  {
    const sent = sink.mails.find(({ raw }) => raw.includes('Same text.'))
    const lo = await w.addLovedOne()
    await mailer.offer(lo.inboxAddress, sent?.raw ?? '')
    await sleep(500)
    const l = await f.call(key, 'list_inbox_messages', { lovedOneId: lo.id })
    check('8 our own mail is not taken in', l.json.result.structuredContent.messages.length === 0, l.text)
    await mailer.deliver(
      lo.inboxAddress,
      `From: Gmail Team <forwarding-noreply@google.com>\r\nTo: <${lo.inboxAddress}>\r\nSubject: (#123456789) Gmail Forwarding Confirmation - Receive Mail from ana@gmail.com\r\nMessage-ID: <g${Math.random()}@google.com>\r\n\r\nana@gmail.com has requested to automatically forward mail to your email address\r\n${lo.inboxAddress}.\r\nConfirmation code: 123456789\r\n\r\nhttps://mail-settings.google.com/mail/vf-%5BANGjdJ8\r\n`,
    )
    const l2 = await f.call(key, 'list_inbox_messages', { lovedOneId: lo.id })
    check(
      '8 forwarding confirmation is automated',
      l2.json.result.structuredContent.messages[0]?.category === 'automated',
      l2.text,
    )
  }
} catch (e) {
  console.log('ERROR', e)
} finally {
  await f[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
  console.log('---\n' + results.join('\n'))
  process.exit()
}
