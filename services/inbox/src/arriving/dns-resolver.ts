import { Resolver } from 'node:dns/promises'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'

export function createDnsResolver(): ResolveDns {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  return (name, type) => resolver.resolve(name, type)
}
