import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'

/** Each row may hold an original of 64 KB. */
const BATCH_SIZE = 50
/** A download of many minutes must survive a short database outage. */
const TRIES = 5
const AGAIN_MS = 1000

type Rows = { collection: Pick<Context['messages']['collection'], 'find'> }

/** Yields a workspace's mail by loved one. Each page is a separate query, so slow readers hold no cursor open. */
export async function* readRows<Row extends { _id: string }>(
  { workspaceKeys }: Pick<Context, 'workspaceKeys'>,
  rows: Rows,
  workspaceId: string,
  where = {},
): AsyncGenerator<Row> {
  let last = `${workspaceId}/`
  for (;;) {
    const page = await readPage<Row>(rows, { ...where, _id: { $gt: last, $lt: `${workspaceId}0` } })
    yield* await workspaceKeys.open(page)
    if (page.length < BATCH_SIZE) return
    last = page.at(-1)?._id ?? last
  }
}

/** The native driver returns an original as it is. */
async function readPage<Row>({ collection }: Rows, filter: object, tries = TRIES): Promise<Row[]> {
  try {
    const rows = collection.find(filter as never, { promoteBuffers: true })
    return (await rows.sort({ _id: 1 }).limit(BATCH_SIZE).toArray()) as Row[]
  } catch (error) {
    if (tries <= 1) throw error
    await sleep(AGAIN_MS)
    return readPage({ collection }, filter, tries - 1)
  }
}
