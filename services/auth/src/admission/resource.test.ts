import test from 'ava'
import { canonicalResource, mcpResources } from './resource.ts'

const resources = mcpResources({ api: 'https://api.family.example', inbox: 'https://inbox.family.example' })

test('a resource is recognized in every usual spelling', (t) => {
  for (const written of [
    'https://api.family.example/mcp/v1',
    'https://api.family.example/mcp/v1/',
    'HTTPS://API.Family.Example/mcp/v1',
    'https://api.family.example:443/mcp/v1',
  ])
    t.is(canonicalResource(resources, written), 'https://api.family.example/mcp/v1')
  t.is(canonicalResource(resources, 'https://INBOX.family.example/api/mcp/'), 'https://inbox.family.example/api/mcp')
})

test('an unknown resource stays unchanged', (t) => {
  for (const other of [
    'https://evil.example/mcp/v1',
    'http://api.family.example/mcp/v1',
    'https://api.family.example/mcp/v2',
    'https://api.family.example/MCP/v1',
    'https://api.family.example',
    'https://user@api.family.example/mcp/v1',
    'https://api.family.example/mcp/v1?x=1',
    'https://api.family.example/mcp/v1#x',
    'https://api.family.example:8443/mcp/v1',
    'not an address',
    '',
  ])
    t.is(canonicalResource(resources, other), other)
})
