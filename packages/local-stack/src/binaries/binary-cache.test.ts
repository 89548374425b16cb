import { appendFile, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { cacheBinary, cacheDir, cachedBinary } from './binary-cache.ts'

const SCRIPT = '#!/bin/sh\necho "tool v1.2.3"\n'
const SHA256_OF_SCRIPT = '964aeb6542ab2f95d8888d455b9c8688325215f024b2a05e121782294b7892dd'

async function withBinary(content = SCRIPT) {
  const cache = await mkdtemp(join(tmpdir(), 'family-inbox-cache-'))
  const source = join(cache, 'downloaded')
  await writeFile(source, content)
  return { cache, source, [Symbol.asyncDispose]: () => rm(cache, { recursive: true }) }
}

test('a cached binary is found again', async (t) => {
  await using folder = await withBinary()
  const path = await cacheBinary(folder.cache, 'tool-1', 'tool', folder.source, SHA256_OF_SCRIPT)
  t.is(await cachedBinary(folder.cache, 'tool-1', 'tool'), path)
  t.is(await cachedBinary(folder.cache, 'tool-2', 'tool'), undefined)
})

test('a cached binary with a new time but the same content is still used', async (t) => {
  await using folder = await withBinary()
  const path = await cacheBinary(folder.cache, 'tool-1', 'tool', folder.source)
  await utimes(path, 1, 1)
  t.is(await cachedBinary(folder.cache, 'tool-1', 'tool'), path)
})

test('a cached binary with changed content is not used', async (t) => {
  await using folder = await withBinary()
  const path = await cacheBinary(folder.cache, 'tool-1', 'tool', folder.source)
  await appendFile(path, 'rm -rf /')
  t.is(await cachedBinary(folder.cache, 'tool-1', 'tool'), undefined)
  await writeFile(path, SCRIPT.replace('v1.2.3', 'v9.9.9')) // same length
  t.is(await cachedBinary(folder.cache, 'tool-1', 'tool'), undefined)
})

test('a download that differs from its pin is rejected and leaves nothing behind', async (t) => {
  await using folder = await withBinary('#!/bin/sh\necho "something else v1.2.3"\n')
  await t.throwsAsync(cacheBinary(folder.cache, 'tool-1', 'tool', folder.source, SHA256_OF_SCRIPT), {
    message: /not the pinned/,
  })
  t.deepEqual(await readdir(folder.cache), ['downloaded'])
})

test('a binary that does not run on this machine is rejected and leaves nothing behind', async (t) => {
  await using folder = await withBinary(
    '#!/bin/sh\necho "libnothing.so.4: cannot open shared object file" >&2; exit 127\n',
  )
  await t.throwsAsync(cacheBinary(folder.cache, 'tool-1', 'tool', folder.source), { message: /libnothing\.so\.4/ })
  t.deepEqual(await readdir(folder.cache), ['downloaded'])
})

test('the cache is in XDG_CACHE_HOME or the home folder', (t) => {
  t.is(cacheDir({ XDG_CACHE_HOME: '/elsewhere', HOME: '/home/ana' }), '/elsewhere/family-care-inbox')
  t.is(cacheDir({ HOME: '/home/ana' }), '/home/ana/.cache/family-care-inbox')
})
