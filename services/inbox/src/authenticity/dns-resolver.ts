import { Resolver } from 'node:dns/promises'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/mail-authenticator'

export function createDnsResolver(): ResolveDns {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  return (name, type) => resolver.resolve(name, type)
}
