import test from 'ava'
import { joinFamily, send } from '../_family.ts'

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
