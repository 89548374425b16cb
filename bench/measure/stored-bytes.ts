import type { Stack } from '@family-inbox/local-stack/run-stack'
import { type ServiceName, services } from '@family-inbox/local-stack/services'
import { databaseName, openDatabase } from '../../tests/_database.ts'

export type StoredBytes = { data: number; indexes: number }

/** What each service's database holds, before compression. */
export async function storedBytes(stack: Stack): Promise<Record<string, StoredBytes>> {
  await using client = await openDatabase(stack)
  const owners = services.filter(({ database }) => database !== undefined).map(({ name }) => name)
  const sizes = owners.map(async (name: ServiceName) => {
    const { dataSize, indexSize } = await client.db(databaseName(stack, name)).stats()
    return [name, { data: dataSize, indexes: indexSize }] as const
  })
  return Object.fromEntries(await Promise.all(sizes))
}

export function growthOf(before: Record<string, StoredBytes>, after: Record<string, StoredBytes>): StoredBytes {
  const sum = (sizes: Record<string, StoredBytes>, part: keyof StoredBytes) =>
    Object.values(sizes).reduce((total, size) => total + size[part], 0)
  return { data: sum(after, 'data') - sum(before, 'data'), indexes: sum(after, 'indexes') - sum(before, 'indexes') }
}
