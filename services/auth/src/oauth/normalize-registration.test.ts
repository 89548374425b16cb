import test from 'ava'
import { type Metadata, normalizeRegistration } from './normalize-registration.ts'

const WEB = 'https://assistant.example/callback'

function normal(metadata: Metadata): Metadata {
  const copy = { redirect_uris: [WEB], ...metadata }
  normalizeRegistration(copy, { accepted: new Set(), refused: new Set() })
  return copy
}

test('scope is dropped, so it does not limit the client permanently', (t) => {
  t.false('scope' in normal({ scope: 'openid email profile' }))
})

test('unsupported grant and response types are removed, supported ones stay', (t) => {
  const device = 'urn:ietf:params:oauth:grant-type:device_code'
  t.deepEqual(normal({ grant_types: ['authorization_code', 'refresh_token', device] }).grant_types, [
    'authorization_code',
    'refresh_token',
  ])
  t.deepEqual(normal({ response_types: ['code', 'id_token'] }).response_types, ['code'])
  t.deepEqual(normal({ grant_types: [device] }).grant_types, [device])
})

test('null and empty values count as missing', (t) => {
  const empty = { contacts: null, logo_uri: '', tos_uri: null, client_name: '', software_id: 7 }
  t.deepEqual(normal(empty), { redirect_uris: [WEB] })
})

test('addresses the server would fetch and keys it does not use are removed', (t) => {
  const metadata = { jwks_uri: 'http://169.254.169.254/', sector_identifier_uri: 'https://inside/', jwks: { keys: [] } }
  t.deepEqual(normal(metadata), { redirect_uris: [WEB] })
})

test('the registered id token algorithm is ignored, so keys can be rotated', (t) => {
  t.deepEqual(normal({ id_token_signed_response_alg: 'RS256' }), { redirect_uris: [WEB] })
})

test('an app with a redirect to the person’s own device is native', (t) => {
  for (const redirect_uri of [
    'http://localhost:3334/callback',
    'http://127.0.0.1/',
    'http://[::1]:80/',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
  ])
    t.is(normal({ redirect_uris: [WEB, redirect_uri], application_type: 'web' }).application_type, 'native')
  t.is(normal({}).application_type, undefined)
  t.is(normal({ application_type: 'native' }).application_type, 'native')
})

test('plain http and deceptive redirect addresses are refused', (t) => {
  for (const redirect_uri of [
    'http://assistant.example/',
    'https://a@assistant.example/',
    `${WEB}?${'x'.repeat(2000)}`,
  ])
    t.throws(() => normal({ redirect_uris: [redirect_uri] }), { message: 'invalid_redirect_uri' })
  t.throws(() => normal({ redirect_uris: Array(21).fill(WEB) }), { message: 'invalid_redirect_uri' })
})

test('malformed redirect lists are left to oidc-provider, which names them', (t) => {
  for (const redirect_uris of [undefined, 'x', {}, [1, null, 'not an address']])
    t.notThrows(() => normal({ redirect_uris }))
})

test('a name becomes one line of at most 80 visible characters', (t) => {
  t.is(normal({ client_name: 'Cla\u202eude\r\n\u0000  Code\u200b' }).client_name, 'Cla ude Code')
  t.is([...String(normal({ client_name: '👩‍👧'.repeat(100) }).client_name)].length <= 80, true)
  t.false('client_name' in normal({ client_name: '\u200b\u0007' }))
})

test('a field of the wrong type is refused by name', (t) => {
  const odd: unknown[] = [{}, { toString: 1 }, [[]], [{}], 0, true, { constructor: 'x' }]
  for (const field of ['client_name', 'client_uri', 'logo_uri', 'token_endpoint_auth_method', 'application_type'])
    for (const value of odd) {
      const error = t.throws(() => normal({ [field]: value })) as Error & { error_description?: string }
      t.is(error.message, 'invalid_client_metadata')
      t.is(error.error_description, `${field} must be a string`)
    }
  for (const grant_types of ['authorization_code', [1], {}]) t.throws(() => normal({ grant_types }))
})
