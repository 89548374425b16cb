import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { examination } from '@family-inbox/workspace-kit/examination'
import test from 'ava'
import { freePort } from './free-port.ts'
import { newDoctorKey, serveDoctor } from './serve-doctor.ts'
import { waitFor } from './wait-for.ts'

test('without its key another program of this machine learns nothing, and starts no check', async (t) => {
  const at = { port: await freePort(), key: newDoctorKey() }
  await using _doctor = serveDoctor(at, readEnvironment())
  for (const authorization of ['', 'Bearer ', `Bearer ${newDoctorKey()}`, at.key])
    t.is((await ask(at.port, 'POST', authorization)).status, 404)
  const answer = await ask(at.port, 'GET', `Bearer ${at.key}`)
  t.deepEqual(await answer.json(), { findings: [] })
})

test('it looks again when asked, one at a time, and says how far it is and when it was done', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-doctor-'))
  t.teardown(() => rm(dataDir, { recursive: true }))
  const at = { port: await freePort(), key: newDoctorKey() }
  await using _doctor = serveDoctor(at, { ...readEnvironment(), DATA_DIR: dataDir, INBOX_URL: 'http://localhost:9' })
  const read = async (method: string) =>
    examination.parse(await (await ask(at.port, method, `Bearer ${at.key}`)).json())
  const began = await Promise.all([read('POST'), read('POST')])
  for (const { running, examinedAt } of began) t.deepEqual([running, examinedAt], [{ parts: 0, done: 0 }, undefined])
  const done = await waitFor(async () => ((await read('GET')).examinedAt ? read('GET') : undefined), {
    timeoutMs: 60_000,
    timeout: () => new Error('not done'),
  })
  t.is(done.running, undefined)
  t.like(
    done.findings.find(({ check }) => check === 'services'),
    { state: 'problem', todo: 'Run npm start, and check that the proxy passes this address on to it.' },
  )
  t.is(done.findings.filter(({ check }) => check === 'disk').length, 1)
})

test('settings that the doctor cannot read are said', async (t) => {
  const at = { port: await freePort(), key: newDoctorKey() }
  await using _doctor = serveDoctor(at, { ...readEnvironment(), INBOX_URL: 'inbox' })
  await ask(at.port, 'POST', `Bearer ${at.key}`)
  const read = async () => examination.parse(await (await ask(at.port, 'GET', `Bearer ${at.key}`)).json())
  const done = await waitFor(async () => ((await read()).examinedAt ? read() : undefined), {
    timeoutMs: 60_000,
    timeout: () => new Error('not done'),
  })
  t.like(done.findings[0], { check: 'doctor', state: 'problem' })
})

function ask(port: number, method: string, authorization: string) {
  return fetch(`http://127.0.0.1:${port}`, { method, headers: { authorization } })
}
