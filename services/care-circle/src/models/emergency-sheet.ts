import type { EmergencySheet as WireEmergencySheet } from '@family-inbox/proto/carecircle/v1/care_circle'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import { type Connection, Schema } from 'mongoose'

/** The fields of a sheet, in the order in which it is read. */
export const SHEET_FIELDS = [
  'conditions',
  'allergies',
  'medication',
  'doctors',
  'insurance',
  'contacts',
  'wishes',
] as const

export type SheetTexts = Record<(typeof SHEET_FIELDS)[number], string>

/** What the family wrote for an emergency. Its id is that of the loved one. */
export type EmergencySheet = {
  _id: string
  workspaceId: string
  texts: SheetTexts
  /** Counts the changes. */
  version: number
  /** As they were called then: the sheet outlives a membership. */
  changedByName: string
  checkedByName: string
  checkedAt: Date
}

const schema = rowSchema<EmergencySheet>(
  'emergency_sheets',
  {
    _id: String,
    workspaceId: String,
    texts: Schema.Types.Mixed,
    version: Number,
    changedByName: String,
    checkedByName: String,
    checkedAt: Date,
  },
  { workspaceId: 'field' },
  { shardKey: { workspaceId: 1 } },
)
schema.index({ workspaceId: 1 })

export function emergencySheetModel(connection: Connection) {
  return connection.model('EmergencySheet', schema)
}

/** Version 0 and no text while nobody has written one. */
export function sheetToWire(sheet: EmergencySheet | null): WireEmergencySheet {
  const { texts, version = 0, changedByName = '', checkedByName = '', checkedAt } = sheet ?? {}
  return { texts: readTexts(texts), version, changedByName, checkedByName, checkedAt }
}

/** All fields; those that are missing are empty. */
export function readTexts(texts: Partial<SheetTexts> | undefined): SheetTexts {
  return Object.fromEntries(SHEET_FIELDS.map((field) => [field, texts?.[field] ?? ''])) as SheetTexts
}
