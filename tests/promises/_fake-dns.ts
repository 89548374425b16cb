// Loaded before a service (node --import): a name server with one DKIM key and the TXT records of a JSON file, and nothing else.
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'

const { FAKE_DKIM_NAME, FAKE_DKIM_KEY = '', FAKE_TEXTS_FILE } = process.env

Resolver.prototype.resolve = (async (name: string, type = 'A') => {
  const texts = { ...(FAKE_DKIM_NAME && { [FAKE_DKIM_NAME]: FAKE_DKIM_KEY }), ...readTexts() }
  if (type === 'TXT' && Object.hasOwn(texts, name)) return [texts[name]?.match(/.{1,250}/g) ?? []]
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}) as never

function readTexts(): Record<string, string> {
  return FAKE_TEXTS_FILE === undefined ? {} : JSON.parse(readFileSync(FAKE_TEXTS_FILE, 'utf8'))
}
