import anyTest, { type TestFn } from 'ava'
import { type Answer, send } from '../_family.ts'
import { type AuthStack, startBehindGateway } from './_auth.ts'
import { ALL_SCOPES, authorizeUrl, Browser, connectApplication, newPkce, refresh, registered } from './_oauth.ts'
import { signInMember } from './_people.ts'

const test = anyTest as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await startBehindGateway({ env: { TOOL_KEY_SCOPES_ENFORCED: 'true' } })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

function callTool(url: string, token: string, name: string, args = {}): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return send(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

test.serial('a client gets from the 401 to a call on either address, and is refused once disconnected', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (const url of [`${s.stack.apiUrl}/mcp/v1`, `${s.stack.inboxUrl}/api/mcp`]) {
    const refused = await callTool(url, 'unknown', 'ping')
    t.is(refused.status, 401)
    const where = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1] ?? ''
    const { resource, authorization_servers } = (await send(where)).json
    const metadata = (await send(`${authorization_servers[0]}/.well-known/oauth-authorization-server`)).json
    t.is(metadata.issuer, authorization_servers[0])
    t.is(metadata.token_endpoint, `${s.stack.inboxUrl}/oauth/token`)

    const { client, tokens } = await connectApplication(s, person, { resource })
    for (const either of [`${s.stack.apiUrl}/mcp/v1`, `${s.stack.inboxUrl}/api/mcp`]) {
      const answer = await callTool(either, tokens.access_token, 'get_user_profile')
      t.is(answer.json.result?.structuredContent?.workspace?.id ?? person.workspaceId, person.workspaceId)
      t.is(answer.status, 200, answer.text)
      t.falsy(answer.json.result.isError)
    }
    const second = (await refresh(s, client, tokens.refresh_token)).json
    t.is((await callTool(url, second.access_token, 'ping')).status, 200)
    const token = await person.principal()
    const { grants } = await s.as.site.listGrants({ pageSize: 1, pageToken: '' }, { token })
    await s.as.site.revokeGrant({ grantId: grants[0]?.id ?? '' }, { token })
    for (const { access_token } of [tokens, second]) t.is((await callTool(url, access_token, 'ping')).status, 401)
  }
})

test.serial('a read-only token gets the missing scope from every tool that writes', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const scopes = ALL_SCOPES.filter((scope) => scope !== 'care_circle:write')
  const { tokens } = await connectApplication(s, person, { how: { scopes } })
  const args = { email: 'bo@family.example', role: 'viewer' }
  const answer = await callTool(`${s.stack.apiUrl}/mcp/v1`, tokens.access_token, 'invite_family_member', args)
  t.is(answer.status, 403)
  // The scopes held plus the one needed: the client then requests exactly these.
  const metadata = `${s.stack.apiUrl}/.well-known/oauth-protected-resource/mcp/v1`
  t.is(
    answer.headers['www-authenticate'],
    `Bearer error="insufficient_scope", scope="${ALL_SCOPES.join(' ')}", resource_metadata="${metadata}", error_description="This needs the scope care_circle:write"`,
  )
})

test.serial('once enforced, tool keys with scopes are limited to them; others keep full access', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const args = { email: 'bo@family.example', role: 'viewer' }
  for (const [scopes, status] of [
    [['care_circle:read'], 403],
    [['care_circle:read', 'care_circle:write'], 200],
    [[], 200],
  ] as const) {
    const key = { name: 'key', scopes: [...scopes] }
    const { secret } = await s.as.site.mintToolKey(key, { token: await person.principal() })
    const answer = await callTool(`${s.stack.apiUrl}/mcp/v1`, secret, 'invite_family_member', args)
    t.is(answer.status, status, answer.text)
  }
})

test.serial('metadata is the same on both hosts for any headers', async (t) => {
  const { apiUrl, inboxUrl } = t.context.stack
  const path = '/.well-known/oauth-authorization-server'
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
  const answers = await Promise.all([
    send(inboxUrl + path),
    send(inboxUrl + path, { headers }),
    send(apiUrl + path, { headers }),
    send(`${inboxUrl}/.well-known/openid-configuration`, { headers }),
  ])
  for (const { status, json } of answers) {
    t.is(status, 200)
    t.deepEqual(json, answers[0]?.json)
  }
  t.is((await send(inboxUrl + path, { headers: { host: 'evil.example' } })).status, 421)
})

test.serial('unknown well-known paths are a JSON 404 on both hosts for any Accept header', async (t) => {
  const { apiUrl, inboxUrl } = t.context.stack
  for (const path of [
    'oauth-authorization-server/mcp/v1',
    'oauth-authorization-server/api/mcp',
    'openid-configuration/api/mcp',
    'oauth-protected-resource/elsewhere',
    'oauth-protected-resource/api/mcp/public',
    'security.txt',
    'mcp/none.json',
    'deep/er/still',
    '',
  ])
    for (const url of [apiUrl, inboxUrl])
      for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json', '*/*']) {
        const cookie = 'family_session=unknown'
        const answer = await send(`${url}/.well-known/${path}`, { headers: { accept, cookie } })
        t.is(answer.status, 404, path)
        t.regex(answer.headers['content-type'] ?? '', /^application\/json/, path)
        t.is(answer.json.error.code, 'not_found')
        t.is(answer.headers['access-control-allow-origin'], '*')
      }
  t.is((await send(`${apiUrl}/.well-known/openid-configuration`)).status, 404, 'the issuer is the other host')
})

test.serial('a page of any origin may read metadata on both hosts, even with a custom header', async (t) => {
  const { apiUrl, inboxUrl } = t.context.stack
  const origin = 'https://playground.example'
  for (const url of [
    `${apiUrl}/.well-known/oauth-protected-resource/mcp/v1`,
    `${apiUrl}/.well-known/oauth-protected-resource`,
    `${inboxUrl}/.well-known/oauth-protected-resource/api/mcp`,
    `${apiUrl}/.well-known/oauth-authorization-server`,
    `${inboxUrl}/.well-known/oauth-authorization-server`,
    `${apiUrl}/.well-known/mcp.json`,
  ]) {
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'mcp-protocol-version' }
    const before = await send(url, { method: 'OPTIONS', headers: { origin, ...asked } })
    t.is(before.status, 204, url)
    t.regex(before.headers['access-control-allow-headers'] ?? '', /MCP-Protocol-Version/i)
    const answer = await send(url, { headers: { origin } })
    t.is(answer.status, 200)
    t.is(answer.headers['access-control-allow-origin'], '*')
    t.is(answer.headers['access-control-allow-credentials'], undefined)
  }
})

test.serial('the consent page opens only in the browser that began the authorization', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const browser = new Browser(s, person)
  const asked = await browser.get(authorizeUrl(await registered(s), newPkce()))
  const consent = await browser.get(asked.headers.location ?? '')
  t.is(consent.status, 200)
  t.true(consent.text.includes('Claude') && consent.text.includes('claude.ai'))
  const elsewhere = await new Browser(s, person).get(asked.headers.location ?? '')
  t.is(elsewhere.status, 404)
})
