import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Bucket } from '../bucket/bucket.ts'
import { type Slice, slicesIn, timeOf } from '../position.ts'
import { SLICES } from './ship.ts'

/** As long as each day has a backup. */
const KEPT_MS = 8 * DAY_MS

/** The slices beside the backups, and their copies in a bucket. */
export type SliceStore = {
  /** Copies those that the bucket lacks, and deletes the old ones here and there. */
  update(): Promise<void>
}

/** It lists the bucket once, and remembers. @param folder of the backups @param bucket of the backups */
export function openSliceStore(folder: string, bucket: Bucket | undefined, now = Date.now): SliceStore {
  const slices = join(folder, SLICES)
  const copies = bucket?.below(SLICES)
  let stored: Map<string, Slice> | undefined
  const isOld = ({ to }: Slice) => now() - timeOf(to).getTime() > KEPT_MS

  async function updateBucket(to: Bucket, here: readonly Slice[]): Promise<void> {
    stored ??= new Map(slicesIn((await to.list()).map(({ name }) => name)).map((slice) => [slice.name, slice]))
    for (const slice of here) {
      if (stored.has(slice.name) || isOld(slice)) continue
      await to.put(slice.name, join(slices, slice.name))
      stored.set(slice.name, slice)
    }
    for (const { name } of [...stored.values()].filter(isOld)) {
      await to.remove(name)
      stored.delete(name)
    }
  }

  return {
    async update() {
      const names = await readdir(slices).catch(() => [])
      const here = slicesIn(names)
      if (copies !== undefined) await updateBucket(copies, here)
      for (const { name } of here.filter(isOld)) await rm(join(slices, name), { force: true })
    },
  }
}
