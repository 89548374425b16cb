import { Resolver } from 'node:dns/promises'

/** Answers a DNS question, or rejects with an error whose `code` is Node.js's own, such as ENOTFOUND. */
export type ResolveDns = (name: string, type: string) => Promise<unknown>

/** Asks the name servers this machine is set up with. */
export function createDnsResolver(): ResolveDns {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  return (name, type) => resolver.resolve(name, type)
}
