import { createSecretKey } from 'node:crypto'
import { localSecret } from '@family-inbox/local-stack/secrets'
import { createSecretBox } from '@family-inbox/service-kit/config/secret-box'
import { keyIdOf, openValue, sealedPlaces } from '@family-inbox/service-kit/mongo/sealed-values'
import { createSealer, type Sealer, type WorkspaceKey } from '@family-inbox/workspace-kit/workspace-keys'
import type { Db, Document } from 'mongodb'
import type { SharedStack } from './_shared-stack.ts'

type Opener = {
  /** Opens the sealed values of rows in place. Those of a destroyed key stay sealed. */
  open<Rows>(rows: Rows): Rows
  /** Each value that the family's key sealed begins with the bytes of it. */
  keyIdOf(workspaceId: string): string
  /** Undefined for a family without a key. */
  sealerOf(workspaceId: string): Sealer | undefined
}

/** With the keys of the families that are in the database of inbox now. */
export async function openSealed({ dataDir }: Pick<SharedStack, 'dataDir'>, inbox: Db): Promise<Opener> {
  const secret = JSON.parse(await localSecret(dataDir, 'KEY_ENCRYPTION_KEYS', 'key-list')) as string[]
  const box = createSecretBox(secret.map((key) => Buffer.from(key, 'base64url')))
  const rows = await inbox.collection<WorkspaceKey>('workspace_keys').find().toArray()
  const keyOf = new Map(
    rows.map(({ _id, keyId, sealed }) => [keyId, createSecretKey(box.open(sealed, _id), 'base64url')]),
  )
  return {
    open(found) {
      for (const { holder, name, sealed } of sealedPlaces(found)) {
        const key = keyOf.get(keyIdOf(sealed))
        if (key !== undefined) holder[name] = openValue(key, sealed)
      }
      return found
    },
    sealerOf(workspaceId) {
      const row = rows.find(({ _id }) => _id === workspaceId)
      const key = row && keyOf.get(row.keyId)
      return key && createSealer(row, key)
    },
    keyIdOf: (workspaceId) => rows.find(({ _id }) => _id === workspaceId)?.keyId ?? '',
  }
}

/** The rows of a collection of inbox as their service reads them. @param has only rows for which it is true */
export async function findOpened<Row extends Document = Document>(
  stack: Pick<SharedStack, 'dataDir'>,
  inbox: Db,
  collection: string,
  filter: object,
  has: (row: Row) => boolean = () => true,
): Promise<Row[]> {
  const rows = await inbox.collection<Row>(collection).find(filter).toArray()
  const { open } = await openSealed(stack, inbox)
  return (open(rows) as unknown as Row[]).filter(has)
}
