import { errors } from 'oidc-provider'
import { isAddress, isOnDevice, type RedirectSchemes, readRedirectUris } from './redirect-uris.ts'

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
export function normalizeRegistration(metadata: Metadata, schemes: RedirectSchemes): void {
  for (const [name, value] of Object.entries(metadata))
    if (value === null || value === '' || IGNORED.includes(name)) delete metadata[name]
  requireTypes(metadata)
  for (const name of OPTIONAL_ADDRESSES) if (!isWebAddress(metadata[name])) delete metadata[name]
  if (typeof metadata.software_id !== 'string') delete metadata.software_id
  metadata.client_name = cleanName(metadata.client_name)
  if (metadata.client_name === undefined) delete metadata.client_name
  keepSupported(metadata, 'grant_types', SUPPORTED_GRANT_TYPES)
  keepSupported(metadata, 'response_types', ['code'])
  if (!Array.isArray(metadata.redirect_uris)) return
  const redirectUris = readRedirectUris(metadata.redirect_uris, schemes)
  metadata.redirect_uris = redirectUris
  if (redirectUris.filter(isAddress).some(isOnDevice)) metadata.application_type = 'native'
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
