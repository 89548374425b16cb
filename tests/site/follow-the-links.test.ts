import { randomText } from '@family-inbox/service-kit/ids/ids'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { send } from '../_family.ts'
import { joinSandboxes } from '../sandbox/_sandbox.ts'

const EMAIL = `${randomText(12)}@silva.example`

test('an agent that knows only the site’s address opens a sandbox and learns how its human claims it', async (t) => {
  await using s = await joinSandboxes()
  const known = new Set([s.stack.baseUrl])
  /** Reads an address that an earlier response contained, and collects the addresses in it. */
  const follow = async (url: string): Promise<string> => {
    t.true(known.has(url), `nothing led to ${url}`)
    const { status, headers, text } = await send(url, {
      headers: { accept: 'text/markdown, application/json;q=0.9, */*;q=0.1' },
    })
    t.is(status, 200, url)
    for (const found of addressesIn(`${text} ${headers.link ?? ''}`, url)) known.add(found)
    return text
  }
  const led = (what: string, pattern: RegExp) => {
    const [found, ...others] = [...known].filter((url) => pattern.test(url))
    t.deepEqual(others, [], `${what} has one address`)
    return found ?? t.fail(`nothing led to ${what}`) ?? ''
  }

  await follow(s.stack.baseUrl)
  const index = await follow(led('the index', /\/llms\.txt$/))
  t.regex(index, /sandbox/i)
  const manifest = JSON.parse(await follow(led('the manifest', /server\.json$/)))
  const toolServer: string = manifest.remotes[0].url
  known.add(toolServer)

  const sandbox = led('the sandbox', /\/api\/mcp\/public$/)
  const descriptor = JSON.parse(await follow(sandbox))
  t.is(descriptor.endpoint, sandbox)
  t.deepEqual(descriptor.authentication.schemes, [])
  const agent = new Client({ name: 'evaluator', version: '1' })
  await agent.connect(new StreamableHTTPClientTransport(new URL(descriptor.endpoint)))
  const { tools } = await agent.listTools()
  const [tool, ...more] = tools
  t.deepEqual(more, [])
  t.is(tool?.name, descriptor.tools[0].name)
  const started = await agent.callTool({ name: String(tool?.name), arguments: fillIn(tool?.inputSchema) })
  await agent.close()
  const [summary, workspace] = (started.content as { text: string }[]).map(({ text }) => text)
  t.regex(JSON.parse(String(workspace)).inboxAddress, /^[^@]+@[^@]+$/)

  const claim = addressesIn(String(summary), sandbox).find((url) => url.endsWith('/onboarding')) ?? ''
  t.is(claim, led('the claim', /\/onboarding$/), 'the site and the answer send the human to the same page')
  t.true(summary?.includes(EMAIL))
  const signIn = await send(claim, { headers: { accept: 'text/html' } })
  t.is(signIn.status, 303)
  const page = await send(new URL(String(signIn.headers.location), claim).href, { headers: { accept: 'text/html' } })
  t.is(page.status, 200)
  t.true(page.text.includes('Your email address'))

  const guide = await follow(led('the guide', /\/developers\.md$/))
  for (const words of [toolServer, 'Authorization: Bearer', 'Settings', 'primaryCaregiverEmail'])
    t.true(guide.includes(words), words)
  const card = JSON.parse(await follow(toolServer))
  t.is(card.endpoint, toolServer)
  const refused = await send(toolServer, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  t.is(refused.status, 401)
  const metadata = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1] ?? ''
  const { authorization_servers: issuers } = (await send(metadata)).json
  const server = (await send(`${issuers[0]}/.well-known/oauth-authorization-server`)).json
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])
    t.true(server[endpoint].startsWith(`${issuers[0]}/oauth/`), endpoint)
})

/** Absolute addresses wherever they are written, and the targets of Markdown links. */
function addressesIn(text: string, base: string): string[] {
  const absolute = [...text.matchAll(/https?:\/\/[^\s)<>"'`\]]+/g)].map(([url]) => url.replace(/[.,;:]+$/, ''))
  const relative = [...text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, path = '']) => new URL(path, base).href)
  return [...new Set([...absolute, ...relative].map((url) => url.replace(/#.*$/, '').replace(/\/$/, '')))]
}

/** The smallest arguments a schema asks for, and the address of the human. */
function fillIn(schema: unknown): Record<string, unknown> {
  const { properties, required } = schema as { properties: Record<string, { type?: string }>; required: string[] }
  const values = required.map((name) => [name, properties[name]?.type === 'boolean' ? true : 'Rosa'])
  return { ...Object.fromEntries(values), primaryCaregiverEmail: EMAIL }
}
