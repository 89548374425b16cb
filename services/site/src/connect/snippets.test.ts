import test from 'ava'
import { isLoopback, snippetsFor } from './snippets.ts'

const ENDPOINT = 'https://api.family-inbox.example/mcp/v1'

test('the settings for each client contain this installation’s address', (t) => {
  const snippets = snippetsFor(ENDPOINT)
  t.deepEqual(JSON.parse(snippets.cursorJson), { mcpServers: { 'family-inbox': { url: ENDPOINT } } })
  t.deepEqual(JSON.parse(snippets.vsCodeJson), { servers: { 'family-inbox': { type: 'http', url: ENDPOINT } } })
  const bridge = JSON.parse(snippets.bridge).mcpServers['family-inbox']
  t.deepEqual([bridge.command, ...bridge.args.slice(0, 3)], ['npx', '-y', 'mcp-remote', ENDPOINT])
  for (const text of [snippets.claudeCode, snippets.claudeCodeWithKey, snippets.curl]) t.true(text.includes(ENDPOINT))
})

test('the install links contain the same settings', (t) => {
  const { cursorLink, vsCodeLink } = snippetsFor(ENDPOINT)
  const cursor = new URL(cursorLink)
  t.is(cursor.searchParams.get('name'), 'family-inbox')
  const config = Buffer.from(cursor.searchParams.get('config') ?? '', 'base64').toString()
  t.deepEqual(JSON.parse(config), { url: ENDPOINT })
  t.deepEqual(JSON.parse(decodeURIComponent(vsCodeLink.slice('vscode:mcp/install?'.length))), {
    name: 'family-inbox',
    type: 'http',
    url: ENDPOINT,
  })
})

test('only loopback addresses count as local', (t) => {
  for (const here of [
    'http://localhost:8081/mcp/v1',
    'http://127.0.0.1:1/',
    'http://[::1]:8081/',
    'http://api.localhost/',
  ])
    t.true(isLoopback(here), here)
  for (const there of [ENDPOINT, 'https://localhost.example/', 'https://127.example/', 'https://notlocalhost/'])
    t.false(isLoopback(there), there)
})
