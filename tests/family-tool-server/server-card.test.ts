import test from 'ava'
import { joinFamily, send, startFamily } from '../_family.ts'

test('a program reads how to connect beside each address of the tool server, and gets what the card says', async (t) => {
  await using f = await joinFamily()
  const { apiUrl, inboxUrl } = f.stack
  const paths = [
    `${apiUrl}/mcp/v1/server-card`,
    `${apiUrl}/.well-known/mcp/server-card.json`,
    `${inboxUrl}/api/mcp/server-card`,
  ]
  const cards = await Promise.all(paths.map((url) => send(url, { headers: { origin: 'https://somewhere.example' } })))
  for (const { status, headers, text } of cards) {
    t.is(status, 200)
    t.is(headers['content-type'], 'application/mcp-server-card+json; charset=utf-8')
    t.is(headers['access-control-allow-origin'], '*')
    t.is(headers['cache-control'], 'public, max-age=3600')
    t.is(text, String(cards[0]?.text))
  }
  const { name, version, description, remotes } = cards[0]?.json ?? {}
  const [{ url, supportedProtocolVersions }] = remotes
  t.is(url, `${apiUrl}/mcp/v1`)
  t.is(description.length <= 100, true)
  for (const protocolVersion of supportedProtocolVersions.slice(0, -1)) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    t.is(json.result.protocolVersion, protocolVersion)
    t.is(json.result.serverInfo.name, name)
    t.is(json.result.serverInfo.version, version)
  }
  for (const path of paths) t.is((await send(path, { method: 'DELETE' })).status, 405)
})

test('an installation with a name of its own has it in the card, the handshake and every result', async (t) => {
  const name = 'com.example/care'
  await using f = await startFamily({ env: { MCP_SERVER_NAME: name } })
  t.is((await send(`${f.stack.apiUrl}/mcp/v1/server-card`)).json.name, name)
  t.is((await send(`${f.stack.apiUrl}/mcp/v1`)).json.name, name)
  t.is(JSON.parse((await send(`${f.stack.baseUrl}/.well-known/mcp/server.json`)).text).name, name)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const key = f.family.keys.owner
  t.is((await f.post(key, { jsonrpc: '2.0', id: 1, method: 'initialize', params })).json.result.serverInfo.name, name)
  const meta = 'io.modelcontextprotocol/'
  const _meta = { [`${meta}protocolVersion`]: '2026-07-28', [`${meta}clientCapabilities`]: {} }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ping' }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping', arguments: {}, _meta } }
  t.is((await f.post(key, call, headers)).json.result._meta[`${meta}serverInfo`].name, name)
})
