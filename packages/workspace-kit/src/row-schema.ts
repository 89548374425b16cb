import { deleteRows, idsBelow } from '@family-inbox/service-kit/mongo/rows'
import type { Sharding } from '@family-inbox/service-kit/mongo/sharding'
import { type Connection, type Model, Schema, type SchemaDefinition, type SchemaDefinitionProperty } from 'mongoose'

/** The fields that name whose a row is. */
type Owner = 'workspaceId' | 'personId' | 'messageRowId'

/**
 * How to find the rows of an owner that is deleted: by the field of that name, by their id, or by ids below the owner's.
 * `apart`: code of their own deletes or changes them. `kept`: they stay.
 */
type Rule = 'field' | '_id' | '_id/' | 'apart' | 'kept'

type Owners<Row> = { [Name in Owner & keyof Row]: Rule } & { [Name in Owner]?: Rule }

/** The collection of such rows. */
export type RowModel<Row> = Model<Row, object, object, { id: string }>

/**
 * The schema of a collection's rows. It names every field of their type, because Mongoose leaves out a field that it does not
 * know, says what happens to the rows when each of their owners is deleted, and how they can be spread over several servers.
 */
export function rowSchema<Row>(
  collection: string,
  fields: { [Field in keyof Row]-?: SchemaDefinitionProperty<NonNullable<Row[Field]>> },
  owners: Owners<Row>,
  sharding: Sharding,
): Schema<Row> {
  const options = { versionKey: false as const, collection, owners, sharding }
  return new Schema<Row>(fields as SchemaDefinition<Row>, options)
}

/** Deletes the rows of these owners in every collection of the service. If interrupted, call again to resume. */
export async function deleteOwned({ models }: Connection, owner: Owner, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  for (const { collection, schema } of Object.values(models)) {
    const filter = ownedBy(schema, owner, ids)
    if (filter !== undefined) await deleteRows(collection, filter)
  }
}

/** A filter for the rows of these owners; undefined where other code deletes or keeps them. */
export function ownedBy(schema: Schema, owner: Owner, ids: string[]): Record<string, unknown> | undefined {
  // Mongoose keeps options that it does not know, also in clones.
  const { owners } = schema.options as { owners?: Partial<Record<Owner, Rule>> }
  const rule = owners?.[owner]
  if (rule === '_id/') return { $or: ids.map((id) => ({ _id: idsBelow(id) })) }
  if (rule === 'field') return { [owner]: { $in: ids } }
  return rule === '_id' ? { _id: { $in: ids } } : undefined
}
