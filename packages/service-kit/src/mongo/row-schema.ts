import { type Model, Schema, type SchemaDefinition, type SchemaDefinitionProperty } from 'mongoose'

/** The schema of a collection's rows. It names every field of their type: Mongoose would leave out a field that it does not know. */
export function rowSchema<Row>(
  collection: string,
  fields: { [Field in keyof Row]-?: SchemaDefinitionProperty<NonNullable<Row[Field]>> },
): Schema<Row> {
  return new Schema<Row>(fields as SchemaDefinition<Row>, { versionKey: false, collection })
}

/** The collection of such rows. */
export type RowModel<Row> = Model<Row>
