import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import test from 'ava'
import { sliceName } from '../position.ts'
import { openSliceStore } from './slice-store.ts'

const NOW = Date.parse('2026-11-28T03:45:00Z')

test('slices are kept for eight days, and nothing else is deleted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-slices-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const slice = (daysAgo: number) => {
    const seconds = (NOW - daysAgo * DAY_MS) / 1000
    return sliceName({ from: { t: seconds - 60, i: 1 }, to: { t: seconds, i: 1 } })
  }
  await t.notThrowsAsync(openSliceStore(folder, undefined).update(), 'no slice was ever written')
  await mkdir(join(folder, 'oplog'))
  for (const name of [slice(9), slice(8.1), slice(7.9), slice(0), 'notes.txt'])
    await writeFile(join(folder, 'oplog', name), '')
  await openSliceStore(folder, undefined, () => NOW).update()
  t.deepEqual(await readdir(join(folder, 'oplog')), [slice(7.9), slice(0), 'notes.txt'])
})
