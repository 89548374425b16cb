import { Resolver } from 'node:dns/promises'

/** Rejects with an error carrying a Node.js DNS `code`, such as ENOTFOUND. */
export type ResolveDns = (name: string, type: string) => Promise<unknown>

export function createDnsResolver(): ResolveDns {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  return (name, type) => resolver.resolve(name, type)
}
