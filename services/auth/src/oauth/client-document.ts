import { lookup } from 'node:dns/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isPublicAddress } from '@family-inbox/service-kit/http/public-address'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { CLIENT_DOCUMENTS_FROM_NETWORK, enforceRateLimit } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { callerNetwork } from './limit-requests.ts'
import { requireTypes } from './normalize-registration.ts'

/** For the whole fetch. The request waiting for it must be answered within 1.9 s. */
const TIMEOUT_MS = 1000
const MAX_BYTES = 5 * 1024
const MAX_FAILURES = 1000

/** Limits fetches, so that our server cannot attack others. The consent page has no headers: its request was counted. */
export async function allowClientDocument(ctx: Context, headers: IncomingHttpHeaders | undefined): Promise<boolean> {
  if (headers === undefined) return true
  try {
    await enforceRateLimit(ctx, CLIENT_DOCUMENTS_FROM_NETWORK, callerNetwork(headers))
    return true
  } catch (error) {
    if (error instanceof StatusError) return false
    throw error
  }
}

export async function fetchClientDocument({ config, logger }: Context, url: string | URL | Request): Promise<Response> {
  try {
    const address = url instanceof Request ? url.url : url
    return await fetchDocument(String(address), { allowPrivate: config.clientDocumentsFromPrivateNetworks })
  } catch (error) {
    logger.info(describeError(error), 'oauth: a client document could not be fetched')
    throw error
  }
}

type Options = {
  allowPrivate: boolean
}

/** Checks and pins all addresses, against DNS rebinding. Failures look alike and take 1 s, so they reveal nothing. */
async function fetchDocument(clientId: string, { allowPrivate }: Options): Promise<Response> {
  if (failedLately.has(clientId)) throw new DocumentUnavailable('failed a moment ago')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answerFailureAt = performance.now() + TIMEOUT_MS
  try {
    const url = new URL(clientId)
    const addresses = await withinTime(resolve(url), signal)
    if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw new Error('not public')
    const response = await get(url, addresses, signal)
    return new Response(requireDocument(clientId, response.text), { headers: response.headers })
  } catch (cause) {
    await sleep(Math.max(0, answerFailureAt - performance.now()))
    rememberFailure(clientId)
    throw new DocumentUnavailable(cause)
  }
}

/** oidc-provider asks again while it answers the same request, which has no second to spare. */
const failedLately = new Set<string>()

function rememberFailure(clientId: string): void {
  if (failedLately.size >= MAX_FAILURES) return
  failedLately.add(clientId)
  setTimeout(() => failedLately.delete(clientId), TIMEOUT_MS).unref()
}

class DocumentUnavailable extends Error {
  override name = 'DocumentUnavailable'
  constructor(cause: unknown) {
    super('a client document could not be fetched', { cause })
  }
}

type Address = { address: string; family: number }

/** An IP literal resolves to itself. */
async function resolve({ protocol, hostname }: URL): Promise<Address[]> {
  if (protocol !== 'https:') throw new Error('not https')
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true })
  if (addresses.length === 0) throw new Error('no address')
  return addresses
}

function withinTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([work, late])
}

type Page = { text: string; headers: Record<string, string> }

async function get(url: URL, addresses: Address[], signal: AbortSignal): Promise<Page> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<Page>()
  const headers = { accept: 'application/json' }
  const sent = request(url, { agent: false, headers, lookup: only(addresses), signal }, async (response) => {
    try {
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
      const { 'cache-control': cacheControl, expires } = response.headers
      const kept = { ...(cacheControl && { 'cache-control': cacheControl }), ...(expires && { expires }) }
      answer({ text: await readBody(response), headers: kept })
    } catch (error) {
      sent.destroy()
      reject(error)
    }
  })
  sent.on('error', reject).end()
  return promise
}

/** Returns a lookup that yields the checked addresses. Node connects to IP literals without a lookup. */
function only(addresses: Address[]): LookupFunction {
  const [{ address, family }] = addresses as [Address]
  return (_name, { all }, answer) => (all ? answer(null, addresses) : answer(null, address, family))
}

async function readBody(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function requireDocument(clientId: string, text: string): string {
  const document: unknown = JSON.parse(text)
  const isOwn = typeof document === 'object' && document !== null && 'client_id' in document
  if (!isOwn || document.client_id !== clientId) throw new Error('not a client document of this address')
  requireTypes({ ...document })
  return text
}
