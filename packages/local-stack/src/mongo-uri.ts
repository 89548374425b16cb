const PARTS = /^(?<servers>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?<options>\?.*)?$/

/** Replaces the database in a MongoDB URI and keeps its options. `URL` cannot parse a URI with several hosts. */
export function databaseUri(uri: string, database: string): string {
  const parts = PARTS.exec(uri)?.groups
  if (!parts) throw new Error('MONGODB_URI must start with mongodb:// or mongodb+srv://')
  return `${parts.servers}/${database}${parts.options ?? ''}`
}
