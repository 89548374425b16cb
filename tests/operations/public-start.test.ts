import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import test from 'ava'
import { send } from '../_family.ts'
import { startMailSink } from '../_mail-sink.ts'
import { untilPageAnswered } from '../_outcome.ts'
import { startInPublic } from './_start-in-public.ts'

test('npm start on a public address prints no key, but a code that creates the first family', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-public-'))
  await using sink = await startMailSink()
  const port = await freePort()
  const origin = `http://inbox.family.example:${port}`
  const headers = { host: `inbox.family.example:${port}`, accept: 'text/html' }
  const get = (path: string) => send(`http://127.0.0.1:${port}${path}`, { headers })
  const post = (path: string, fields: Record<string, string>) =>
    send(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { ...headers, origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
  try {
    {
      await using started = await startInPublic({ dataDir, port, smtpUrl: sink.url })
      const output = await started.untilReady()
      t.notRegex(output, /sk-sand-|demo family|Sign in as/)
      t.true(output.includes(`${origin}/set-up`))
      t.regex(output, /^ {2}inbox\._domainkey\.family\.example\n {2}v=DKIM1; k=rsa; p=MII/m)
      const [code = ''] = /\b\w{4}-\w{4}-\w{4}-\w{4}\b/.exec(output) ?? []
      t.regex((await get('/sign-in')).text, /New people join by invitation/)
      t.is((await get('/set-up')).status, 200)
      const answers = { code, name: 'Ana', email: 'ana@silva.example', familyName: 'The Silva family' }
      const created = await untilPageAnswered(() => post('/set-up', answers))
      t.is(created.status, 303)
      t.is(created.headers.location, '/settings/passkeys')
      t.is((await get('/set-up')).status, 404)
      const cookie = (created.headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ')
      const page = await send(`http://127.0.0.1:${port}/operator`, { headers: { ...headers, cookie } })
      t.is(page.headers.location, '/confirm', 'whoever set it up is its operator')
      t.is((await get('/operator')).status, 404)
    }
    await using again = await startInPublic({ dataDir, port, smtpUrl: sink.url })
    t.notRegex(await again.untilReady(), /set-up|DKIM1/, 'there is a family')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
