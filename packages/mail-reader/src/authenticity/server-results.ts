import { domainToASCII } from 'node:url'
import { type HeaderField, readHeaderFields } from '../mime/header-fields.ts'
import { readFrom } from '../mime/message-fields.ts'
import type { Authenticity } from './authenticity.ts'

const UNCHECKED: Authenticity = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', aligned: false }
const METHODS = ['spf', 'dkim', 'dmarc', 'arc'] as const
/** A field of many results is someone's attempt; Gmail writes about five. */
const MAX_RESULTS = 30

/** An escaped character, a mark, or the text up to the next of them. */
const PIECES = /\\.|["()]|[^\\"()]+/gs

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
  const found = Object.fromEntries(METHODS.map((method) => [method, bestOf(results, method)]))
  return { ...UNCHECKED, ...found, aligned: isAboutSender(results, fields) }
}

function bestOf(results: Result[], method: string): string {
  const ofMethod = results.filter((one) => one.method === method)
  return (ofMethod.find(({ result }) => result === 'pass') ?? ofMethod[0])?.result ?? 'none'
}

/** Whether DMARC passes for the domain that the reader sees. */
function isAboutSender(results: Result[], fields: HeaderField[]): boolean {
  const passed = results.find(({ method, result }) => method === 'dmarc' && result === 'pass')
  if (passed?.headerFrom === undefined || fields.filter(({ name }) => name === 'from').length !== 1) return false
  const { address } = readFrom(fields)
  const shown = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return shown !== '' && domainToASCII(passed.headerFrom) === shown
}

/** Leaves out comments, which nest (RFC 5322 3.2.2), and what is in quotes: both can hold anything. What does not end is left out, too. */
function withoutComments(value: string): string {
  let [depth, isQuoted, kept] = [0, false, '']
  for (const [piece] of value.matchAll(PIECES)) {
    if (isQuoted) isQuoted = piece !== '"'
    else if (piece === '(') depth += 1
    else if (piece === ')') depth = Math.max(0, depth - 1)
    else if (depth > 0) continue
    else if (piece === '"') isQuoted = true
    else kept += piece
  }
  return kept
}

type Result = { method: string; result: string; headerFrom?: string }

/** @param written such as `dmarc=pass header.from=example.org` */
function readResult(written: string): Result {
  const sides = written.toLowerCase().split('=')
  const [first = '', ...properties] = sides
    .map((side) => side.trim())
    .join('=')
    .split(/\s+/)
  const [method = '', result = ''] = first.split('=')
  const headerFrom = properties.find((one) => one.startsWith('header.from='))?.slice('header.from='.length)
  // A version may follow the method: `dkim/1=pass`.
  return { method: method.split('/')[0] ?? '', result, ...(headerFrom !== undefined && { headerFrom }) }
}
