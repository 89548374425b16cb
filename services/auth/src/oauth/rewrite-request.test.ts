import test from 'ava'
import { mcpResources } from '../admission/resource.ts'
import { normalizeAuthorization, withCanonicalResources } from './rewrite-request.ts'

const resources = mcpResources({ api: 'https://api.family.example', inbox: 'https://inbox.family.example' })
const ALL = 'profile:read care_circle:read care_circle:write'

function scopeOf(query: string): string | null {
  return normalizeAuthorization(new URLSearchParams(query), resources).get('scope')
}

test('a request without any of our scopes asks for all of them', (t) => {
  t.is(scopeOf('client_id=a'), ALL)
  t.is(scopeOf('scope='), ALL)
  t.is(scopeOf('scope=openid+email+profile'), `openid email profile ${ALL}`)
  t.is(scopeOf('scope=audit:read'), `audit:read ${ALL}`)
})

test('a request with one of our scopes asks for nothing else', (t) => {
  t.is(scopeOf('scope=profile:read'), 'profile:read')
  t.is(scopeOf('scope=openid%20care_circle:read'), 'openid care_circle:read')
})

test('a repeated parameter stays repeated, so it is refused', (t) => {
  const normal = normalizeAuthorization(new URLSearchParams('scope=a&scope=b&state=1&state=2'), resources)
  t.deepEqual(normal.getAll('scope'), ['a', 'b'])
  t.deepEqual(normal.getAll('state'), ['1', '2'])
})

test('only resource and scope change', (t) => {
  const query = 'redirect_uri=https%3A%2F%2Fa.example%2Fcb%3Fx%3D1%26y%3D%252F&state=a%2Bb%20c&scope=profile:read'
  const normal = normalizeAuthorization(new URLSearchParams(query), resources)
  t.deepEqual([...normal], [...new URLSearchParams(query)])
})

test('resources are normalized and empty ones dropped', (t) => {
  const sent = new URLSearchParams([
    ['resource', 'https://API.family.example/mcp/v1/'],
    ['resource', 'https://evil.example/'],
    ['resource', ''],
  ])
  t.deepEqual(withCanonicalResources(sent, resources).getAll('resource'), [
    'https://api.family.example/mcp/v1',
    'https://evil.example/',
  ])
})
