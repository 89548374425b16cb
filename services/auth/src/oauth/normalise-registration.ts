import { errors } from 'oidc-provider'
import { isLoopback, isRedirectScheme } from './redirect-scheme.ts'

/**
 * What each field must be, when it is sent (RFC 7591 section 2, OpenID Connect Registration 1.0 section 2). Redirect addresses
 * are checked by themselves.
 */
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

/** Client metadata as it arrives (RFC 7591 section 2): anything may be in it. */
export type Metadata = Record<string, unknown>

const SUPPORTED_GRANT_TYPES = ['authorization_code', 'refresh_token']
const MAX_REDIRECT_URIS = 20
const MAX_URI_LENGTH = 2000
const MAX_NAME_LENGTH = 80
const OPTIONAL_ADDRESSES = ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri', 'initiate_login_uri']

/**
 * Not used here, and each a way to be refused or to make this server fetch an address of the caller's choice. Id tokens are
 * signed by the key that signs now: an application that was held to the algorithm of its first day would end with that key.
 */
const IGNORED = [
  'scope',
  'contacts',
  'jwks',
  'jwks_uri',
  'sector_identifier_uri',
  'default_acr_values',
  'id_token_signed_response_alg',
]

/**
 * Makes what real clients send into what oidc-provider accepts, in place. RFC 7591 section 2 lets a server replace what it
 * does not support, which serves everybody better than refusing: the official SDKs register scopes and grant types of their
 * own wish, editors register web, loopback and custom-scheme addresses at once, and some send null for what they do not have.
 * @throws InvalidClientMetadata for redirect addresses no client should use (RFC 9700 section 2.1, RFC 8252 section 7)
 */
export function normaliseRegistration(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata))
    if (value === null || value === '' || IGNORED.includes(name)) delete metadata[name]
  requireTypes(metadata)
  for (const name of OPTIONAL_ADDRESSES) if (!isWebAddress(metadata[name])) delete metadata[name]
  if (typeof metadata.software_id !== 'string') delete metadata.software_id
  metadata.client_name = plainName(metadata.client_name)
  if (metadata.client_name === undefined) delete metadata.client_name
  keepSupported(metadata, 'grant_types', SUPPORTED_GRANT_TYPES)
  keepSupported(metadata, 'response_types', ['code'])
  const redirectUris = readRedirectUris(metadata.redirect_uris)
  if (redirectUris.some(isOnOwnDevice)) metadata.application_type = 'native'
}

/** @throws InvalidClientMetadata for a field of another type than it must have */
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

/** Leaves a list alone in which nothing is supported: it is refused, by name, where lists are checked. */
function keepSupported(metadata: Metadata, name: string, supported: string[]): void {
  const sent = metadata[name]
  if (!Array.isArray(sent)) return
  const kept = sent.filter((value) => supported.includes(value))
  if (kept.length > 0) metadata[name] = kept
}

function readRedirectUris(uris: unknown): URL[] {
  if (!Array.isArray(uris)) return []
  if (uris.length > MAX_REDIRECT_URIS) throw refused(`redirect_uris must hold at most ${MAX_REDIRECT_URIS} addresses`)
  return uris.filter((uri) => typeof uri === 'string' && URL.canParse(uri)).map(requireFitAddress)
}

function requireFitAddress(uri: string): URL {
  const url = new URL(uri)
  if (uri.length > MAX_URI_LENGTH) throw refused(`redirect_uris must be at most ${MAX_URI_LENGTH} characters each`)
  if (url.username !== '' || url.password !== '') throw refused('redirect_uris must not contain a user name')
  if (url.protocol === 'http:' && !isLoopback(url))
    throw refused('redirect_uris must use https, unless they lead to this computer')
  if (!isRedirectScheme(url))
    throw refused('redirect_uris must use https, http to this computer, or a scheme such as com.example.app')
  return url
}

/** An address the person's own device answers: a loopback port or an application's own scheme. */
function isOnOwnDevice(url: URL): boolean {
  return url.protocol === 'http:' ? isLoopback(url) : url.protocol !== 'https:'
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

/** A name fit to be shown: one line, without characters that hide or turn text around. */
function plainName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const line = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/ +/g, ' ')
  return [...line].slice(0, MAX_NAME_LENGTH).join('').trim() || undefined
}

function refused(message: string): Error {
  return new errors.InvalidClientMetadata(message)
}
