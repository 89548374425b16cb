import { errors } from 'oidc-provider'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** The short schemes of known MCP apps. Others may trigger the operating system (`ms-msdt:`, `search-ms:`, `tel:`). */
const KNOWN_APPLICATIONS = new Set(['claude:', 'cursor:'])
/** A reversed domain name (RFC 8252 section 7.1), except those Windows and macOS use for themselves. */
const REVERSED_DOMAIN =
  /^(?!(?:apple|microsoft|windows|x-apple)\.)[a-z][a-z0-9]*(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+:$/

/** RFC 7591 section 2, OpenID Connect Registration 1.0 section 2. */
const TYPES: Record<string, 'string' | 'list of strings' | 'boolean' | 'number'> = {
  application_type: 'string',
  client_name: 'string',
  client_uri: 'string',
  default_max_age: 'number',
  grant_types: 'list of strings',
  initiate_login_uri: 'string',
  logo_uri: 'string',
  policy_uri: 'string',
  require_auth_time: 'boolean',
  response_modes: 'list of strings',
  response_types: 'list of strings',
  subject_type: 'string',
  token_endpoint_auth_method: 'string',
  tos_uri: 'string',
}

export type Metadata = Record<string, unknown>

const SUPPORTED_GRANT_TYPES = ['authorization_code', 'refresh_token']
const MAX_REDIRECT_URIS = 20
const MAX_URI_LENGTH = 2000
const MAX_NAME_LENGTH = 80
const OPTIONAL_ADDRESSES = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri']

/** Each could cause a refusal or a fetch from any address. A fixed id token algorithm would break on key rotation. */
const IGNORED = [
  'scope',
  'contacts',
  'jwks',
  'jwks_uri',
  'sector_identifier_uri',
  'default_acr_values',
  'id_token_signed_response_alg',
]

/** Real clients send nulls and unknown values, which RFC 7591 section 2 lets us replace. @throws InvalidClientMetadata */
export function normalizeRegistration(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata))
    if (value === null || value === '' || IGNORED.includes(name)) delete metadata[name]
  requireTypes(metadata)
  for (const name of OPTIONAL_ADDRESSES) if (!isWebAddress(metadata[name])) delete metadata[name]
  if (typeof metadata.software_id !== 'string') delete metadata.software_id
  metadata.client_name = cleanName(metadata.client_name)
  if (metadata.client_name === undefined) delete metadata.client_name
  keepSupported(metadata, 'grant_types', SUPPORTED_GRANT_TYPES)
  keepSupported(metadata, 'response_types', ['code'])
  const redirectUris = readRedirectUris(metadata.redirect_uris)
  if (redirectUris.some(isOnDevice)) metadata.application_type = 'native'
}

export function requireTypes(metadata: Metadata): void {
  for (const [name, type] of Object.entries(TYPES)) {
    const value = metadata[name] ?? undefined
    if (value !== undefined && !IS_TYPE[type](value)) throw refused(`${name} must be a ${type}`)
  }
}

const IS_TYPE: Record<(typeof TYPES)[string], (value: unknown) => boolean> = {
  string: isText,
  'list of strings': (value) => Array.isArray(value) && value.every(isText),
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Keeps a list with no supported value as it is: oidc-provider then refuses it by name. */
function keepSupported(metadata: Metadata, name: string, supported: string[]): void {
  const sent = metadata[name]
  if (!Array.isArray(sent)) return
  const kept = sent.filter((value) => supported.includes(value))
  if (kept.length > 0) metadata[name] = kept
}

function readRedirectUris(uris: unknown): URL[] {
  if (!Array.isArray(uris)) return []
  if (uris.length > MAX_REDIRECT_URIS)
    throw refused(`redirect_uris must contain at most ${MAX_REDIRECT_URIS} addresses`)
  return uris.filter((uri) => typeof uri === 'string' && URL.canParse(uri)).map(requireSafeRedirect)
}

/** RFC 9700 section 2.1, RFC 8252 section 7. */
function requireSafeRedirect(uri: string): URL {
  const url = new URL(uri)
  if (uri.length > MAX_URI_LENGTH) throw refused(`redirect_uris must be at most ${MAX_URI_LENGTH} characters each`)
  if (url.username !== '' || url.password !== '') throw refused('redirect_uris must not contain a user name')
  if (url.protocol === 'http:' && !isLoopback(url)) throw refused('redirect_uris must use https, except on localhost')
  if (!isRedirectScheme(url))
    throw refused('redirect_uris must use https, http on localhost, or a scheme such as com.example.app')
  return url
}

function isOnDevice(url: URL): boolean {
  return url.protocol === 'http:' ? isLoopback(url) : url.protocol !== 'https:'
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function cleanName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const line = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/ +/g, ' ')
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim() || undefined
}

function refused(message: string): Error {
  return new errors.InvalidClientMetadata(message)
}

export function isRedirectScheme(url: URL): boolean {
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  return REVERSED_DOMAIN.test(url.protocol) || KNOWN_APPLICATIONS.has(url.protocol)
}

/** RFC 8252 section 7.3. */
function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.has(hostname)
}
