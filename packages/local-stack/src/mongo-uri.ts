const PARTS = /^(?<servers>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(?<options>\?.*)?$/

/**
 * The URI of one database on the servers another URI names; its options are kept, its own database is not.
 * (A URI with several hosts is no URL, so `URL` cannot do this.)
 */
export function databaseUri(uri: string, database: string): string {
  const parts = PARTS.exec(uri)?.groups
  if (!parts) throw new Error('MONGODB_URI must begin with mongodb:// or mongodb+srv://')
  return `${parts.servers}/${database}${parts.options ?? ''}`
}
