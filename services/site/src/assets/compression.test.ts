import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import test from 'ava'
import { chooseCoding, compress } from './compression.ts'

const cases: [string | undefined, string][] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['deflate', 'identity'],
  ['identity;q=1, *;q=0', 'identity'],
]
for (const [header, coding] of cases)
  test(`Accept-Encoding ${JSON.stringify(header)} gets ${coding}`, (t) => {
    t.is(chooseCoding(header), coding as never)
  })

test('every coding decodes to the same bytes and has its own ETag', (t) => {
  const bytes = Buffer.from('a { color: red }\n'.repeat(100))
  const { br, gzip, identity } = compress(bytes)
  t.deepEqual(brotliDecompressSync(br.bytes), bytes)
  t.deepEqual(gunzipSync(gzip.bytes), bytes)
  t.is(new Set([br.etag, gzip.etag, identity.etag]).size, 3)
})
