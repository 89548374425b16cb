import { IncomingMessage } from 'node:http'
import { canonicalResource, mcpResources } from '../admission/resource.ts'
import { requestedScopes, SCOPES } from '../scopes.ts'

type Urls = { api: string; inbox: string }

const MAX_FORM_BYTES = 56 * 1024

export function normalizeQuery(urls: Urls, req: IncomingMessage): void {
  const [path = '', ...query] = (req.url ?? '').split('?')
  const parameters = normalizeAuthorization(new URLSearchParams(query.join('?')), mcpResources(urls))
  req.url = `${path}?${parameters}`
}

/** Returns a new request, because oidc-provider reads the body itself; undefined when the form is too large. */
export async function withNormalizedForm(urls: Urls, req: IncomingMessage): Promise<IncomingMessage | undefined> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')
  if (req.method !== 'POST' || !isForm) return req
  const text = await readText(req)
  if (text === undefined) return undefined
  const parameters = withCanonicalResources(new URLSearchParams(text), mcpResources(urls))
  return withBody(req, Buffer.from(parameters.toString()))
}

export async function readText(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > MAX_FORM_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function withBody(req: IncomingMessage, body: Buffer): IncomingMessage {
  const copy = new IncomingMessage(req.socket)
  const { 'transfer-encoding': _, ...headers } = req.headers
  Object.assign(copy, {
    method: req.method,
    url: req.url,
    httpVersion: req.httpVersion,
    headers: { ...headers, 'content-length': String(body.length) },
    complete: true,
  })
  copy.push(body)
  copy.push(null)
  return copy
}

/** Adds all scopes when none of ours is requested: oidc-provider would grant nothing. */
export function normalizeAuthorization(parameters: URLSearchParams, resources: readonly string[]): URLSearchParams {
  const normal = withCanonicalResources(parameters, resources)
  const scopes = normal.getAll('scope')
  if (scopes.length <= 1 && requestedScopes(scopes[0]).length === 0)
    normal.set('scope', [...(scopes[0] ?? '').split(' '), ...SCOPES].filter((scope) => scope !== '').join(' '))
  return normal
}

export function withCanonicalResources(parameters: URLSearchParams, resources: readonly string[]): URLSearchParams {
  const normal = new URLSearchParams()
  for (const [name, value] of parameters) {
    if (name !== 'resource') normal.append(name, value)
    else if (value !== '') normal.append(name, canonicalResource(resources, value))
  }
  return normal
}
