import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { ARCHIVES } from './find-mongod.ts'
import { mongodFromArchive } from './mongod-archive.ts'

/** A server with an archive whose mongod writes a file when it runs. */
async function withArchive() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-archive-'))
  const trace = join(dir, 'was-run')
  const bin = join(dir, 'mongodb-test-7.0.0/bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'mongod'), `#!/bin/sh\ntouch '${trace}'\necho 'db version v7.0.0'\n`)
  await chmod(join(bin, 'mongod'), 0o755)
  await promisify(execFile)('tar', ['-czf', 'mongod.tgz', 'mongodb-test-7.0.0'], { cwd: dir })
  const bytes = await readFile(join(dir, 'mongod.tgz'))
  const server = createServer((_req, res) => res.end(bytes)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    cache: join(dir, 'cache'),
    trace,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mongod.tgz`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    async [Symbol.asyncDispose]() {
      server.close()
      await rm(dir, { recursive: true })
    },
  }
}

test('a downloaded mongod is cached when the archive has the pinned SHA-256', async (t) => {
  await using archive = await withArchive()
  t.is(await mongodFromArchive(archive, archive.cache, 'mongod-7'), join(archive.cache, 'mongod-7', 'mongod'))
})

test('an archive with another SHA-256 is rejected, and nothing in it runs or stays', async (t) => {
  await using archive = await withArchive()
  const pinned = { url: archive.url, sha256: createHash('sha256').update('the real one').digest('hex') }
  await t.throwsAsync(mongodFromArchive(pinned, archive.cache, 'mongod-7'), {
    message: `the archive has SHA-256 ${archive.sha256}, not the pinned ${pinned.sha256}`,
  })
  await t.throwsAsync(access(archive.trace), { code: 'ENOENT' })
  await t.throwsAsync(access(join(archive.cache, 'mongod-7')), { code: 'ENOENT' })
})

test('every archive has a pinned SHA-256 and an https URL', (t) => {
  for (const { url, sha256 } of Object.values(ARCHIVES)) {
    t.regex(sha256, /^[0-9a-f]{64}$/)
    t.regex(url, /^https:\/\/fastdl\.mongodb\.org\//)
  }
})
