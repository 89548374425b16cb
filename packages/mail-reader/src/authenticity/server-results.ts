import { domainToASCII } from 'node:url'
import { readHeaderFields } from '../mime/header-fields.ts'
import { readFrom } from '../mime/message-fields.ts'
import type { Authenticity } from './authenticity.ts'

const UNCHECKED: Authenticity = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', aligned: false }
const METHODS = ['spf', 'dkim', 'dmarc', 'arc'] as const
/** A field of many results is someone's attempt; Gmail writes about five. */
const MAX_RESULTS = 30

/**
 * What the server of a mailbox found out about a mail (RFC 8601): the first Authentication-Results field with its authserv-id. A
 * server adds its own above those that came with the mail, so a forged one below never counts. Nothing counts without that id.
 */
export function readServerResults(raw: Buffer, { authservId }: { authservId?: string }): Authenticity {
  if (authservId === undefined) return UNCHECKED
  const { fields } = readHeaderFields(raw, 0, () => false)
  const own = fields
    .filter(({ name }) => name === 'authentication-results')
    .map(({ value }) => withoutComments(value).split(';', MAX_RESULTS))
    .find(([id = '']) => id.trim().split(/\s/)[0]?.toLowerCase() === authservId.toLowerCase())
  if (own === undefined) return UNCHECKED
  const results = own.slice(1).map(readResult)
  const found = { ...UNCHECKED }
  for (const method of METHODS) {
    const ofMethod = results.filter((one) => one.method === method)
    found[method] = (ofMethod.find(({ result }) => result === 'pass') ?? ofMethod[0])?.result ?? 'none'
  }
  const passed = results.find(({ method, result }) => method === 'dmarc' && result === 'pass')
  const { address } = readFrom(fields)
  const shown = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  const isOnlyFrom = fields.filter(({ name }) => name === 'from').length === 1
  // The reader sees this domain, so the result must be about it.
  return { ...found, aligned: isOnlyFrom && shown !== '' && domainToASCII(passed?.headerFrom ?? '') === shown }
}

/** Leaves out comments, which nest (RFC 5322 3.2.2), and what is in quotes: both can hold anything. What does not end is left out, too. */
function withoutComments(value: string): string {
  let [depth, isQuoted, kept] = [0, false, '']
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at] ?? ''
    if (char === '\\') at += 1
    else if (isQuoted) isQuoted = char !== '"'
    else if (char === '"' && depth === 0) isQuoted = true
    else if (char === '(') depth += 1
    else if (char === ')' && depth > 0) depth -= 1
    else if (depth === 0) kept += char
  }
  return kept
}

/** @param written such as `dmarc=pass header.from=example.org` */
function readResult(written: string): { method: string; result: string; headerFrom?: string } {
  const [first = '', ...properties] = written
    .toLowerCase()
    .replaceAll(/\s*=\s*/g, '=')
    .trim()
    .split(/\s+/)
  const [method = '', result = ''] = first.split('=')
  const headerFrom = properties.find((one) => one.startsWith('header.from='))?.slice('header.from='.length)
  // A version may follow the method: `dkim/1=pass`.
  return { method: method.split('/')[0] ?? '', result, ...(headerFrom !== undefined && { headerFrom }) }
}
