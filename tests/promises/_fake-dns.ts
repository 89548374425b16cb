// Loaded before a service (node --import): a name server with one DKIM key, and nothing else.
import { Resolver } from 'node:dns/promises'

const { FAKE_DKIM_NAME, FAKE_DKIM_KEY = '' } = process.env

Resolver.prototype.resolve = (async (name: string, type = 'A') => {
  if (type === 'TXT' && name === FAKE_DKIM_NAME) return [FAKE_DKIM_KEY.match(/.{1,250}/g) ?? []]
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}) as never
