import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { BSON } from 'mongodb'
import { readDocuments } from './read-documents.ts'

const DOCUMENTS = Array.from({ length: 300 }, (_, index) => ({ index, text: 'x'.repeat(index * 50) }))

test('documents are read one by one, wherever chunks end', async (t) => {
  const file = await fileWith(t, Buffer.concat(DOCUMENTS.map((document) => BSON.serialize(document))))
  t.deepEqual(await all(file), DOCUMENTS)
  t.deepEqual(await all(await fileWith(t, Buffer.of())), [])
})

test('a file that is cut off, or is not BSON, is refused as a backup', async (t) => {
  const whole = Buffer.concat(DOCUMENTS.map((document) => BSON.serialize(document)))
  for (const length of [whole.length - 1, whole.length - 14_000, 3])
    await t.throwsAsync(all(await fileWith(t, whole.subarray(0, length))), { message: /is incomplete/ })
  await t.throwsAsync(all(await fileWith(t, Buffer.from('{"a": 1}'))), { message: /is not a BSON file/ })
})

async function all(file: string): Promise<BSON.Document[]> {
  const documents: BSON.Document[] = []
  for await (const bytes of readDocuments(file)) documents.push(BSON.deserialize(bytes))
  return documents
}

async function fileWith(t: ExecutionContext, bytes: Buffer): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-bson-'))
  t.teardown(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'rows.bson'), bytes)
  return join(dir, 'rows.bson')
}
