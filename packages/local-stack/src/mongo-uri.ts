const PARTS = /^(?<scheme>mongodb(?:\+srv)?:\/\/)(?<login>[^@/?]*@)?(?<hosts>[^/?@]+)(?:\/[^?]*)?(?:\?(?<options>.*))?$/

/** Replaces the database in a MongoDB URI and keeps its options. `URL` cannot parse a URI with several hosts. */
export function databaseUri(uri: string, database: string): string {
  const { scheme, login = '', hosts, options } = partsOf(uri)
  return `${scheme}${login}${hosts}/${database}${options === undefined ? '' : `?${options}`}`
}

/** The same servers as a user who logs in at `database`, which the URI leads to, except to `admin`. */
export function withUser(uri: string, user: { name: string; password: string; database: string }): string {
  const { scheme, hosts, options } = partsOf(uri)
  const { name, password, database } = user
  const all = new URLSearchParams(options)
  all.set('authSource', database)
  const login = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
  return `${scheme}${login}@${hosts}/${database === 'admin' ? '' : database}?${all}`
}

/** `host:port` of each server. */
export function hostsOf(uri: string): string[] {
  return partsOf(uri).hosts.split(',')
}

type Parts = { scheme: string; login?: string; hosts: string; options?: string }

function partsOf(uri: string): Parts {
  const parts = PARTS.exec(uri)?.groups
  if (!parts) throw new Error('MONGODB_URI must start with mongodb:// or mongodb+srv://')
  return parts as Parts
}
