import { newKey, publicHalf } from '@family-inbox/local-stack/secrets'
import { environmentToConfig } from '@family-inbox/site/config'
import { Ajv } from 'ajv'
import test from 'ava'
import { openSite } from './_site.ts'

/** The parts of SEP-2127's schema that a card without headers and variables has (experimental-ext-server-card, v2). */
const CARD = {
  type: 'object',
  required: ['$schema', 'name', 'version', 'description'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    version: { type: 'string', maxLength: 255 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    websiteUrl: { type: 'string' },
    repository: { type: 'object', required: ['url', 'source'] },
    icons: { type: 'array', items: { type: 'object', required: ['src'] } },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^https?://\\S+$' },
          supportedProtocolVersions: { type: 'array', items: { type: 'string' } },
        },
      },
    },
    _meta: { type: 'object' },
  },
}

const OPERATOR = {
  OPERATOR_NAME: 'Almeida [Care] Office',
  OPERATOR_CONTACT: 'care@almeida.example',
  OPERATOR_COUNTRY: 'Portugal',
}
const LISTED = {
  ...OPERATOR,
  MCP_SERVER_NAME: 'com.example/family-inbox',
  SOURCE_URL: 'https://github.com/example/family-inbox',
  MCP_REGISTRY_AUTH: 'v=MCPv1; k=ed25519; p=abc',
  OPENAI_APPS_CHALLENGE: 'a1b2c3',
}

async function read(env: Record<string, string>) {
  const site = await openSite({ env })
  const get = (path: string) => site.request(path, { host: new URL(site.publicUrl).host, headers: { accept: '*/*' } })
  return { ...site, get, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
}

test('a directory finds the server by the catalog, the card and the manifest, under the operator’s own name', async (t) => {
  await using site = await read(LISTED)
  const { body, headers } = await site.get('/.well-known/mcp/server-card.json')
  t.is(headers['access-control-allow-origin'], '*')
  const card = JSON.parse(body)
  const isCard = new Ajv().compile(CARD)
  t.true(isCard(card), JSON.stringify(isCard.errors))
  t.is(card.name, 'com.example/family-inbox')
  t.deepEqual(card.repository, { url: LISTED.SOURCE_URL, source: 'github' })
  const manifest = JSON.parse((await site.get('/.well-known/mcp/server.json')).body)
  t.is(manifest.name, card.name)
  t.deepEqual(manifest.icons, card.icons)
  const [entry] = JSON.parse((await site.get('/.well-known/ai-catalog.json')).body).entries
  t.is(entry.identifier, 'urn:air:example.com:family-inbox')
  t.is(entry.url, 'http://localhost:8081/mcp/v1/server-card')
})

test('what proves the domain is there only where the operator set it', async (t) => {
  await using listed = await read(LISTED)
  await using plain = await read({})
  for (const [path, text] of [
    ['/.well-known/mcp-registry-auth', LISTED.MCP_REGISTRY_AUTH],
    ['/.well-known/openai-apps-challenge', LISTED.OPENAI_APPS_CHALLENGE],
  ] as const) {
    t.is((await listed.get(path)).body, text)
    t.is((await plain.get(path)).status, 404)
  }
})

test('security.txt names the contact, and ends within a year', async (t) => {
  await using site = await read(OPERATOR)
  const { body, headers } = await site.get('/.well-known/security.txt')
  t.is(headers['content-type'], 'text/plain; charset=utf-8')
  t.regex(body, /^Contact: mailto:care@almeida\.example$/m)
  const expires = Date.parse(/^Expires: (.+)$/m.exec(body)?.[1] ?? '')
  t.true(expires > Date.now() && expires <= Date.now() + 365 * 86_400_000)
})

test('the privacy and the support page name who runs the installation, as text', async (t) => {
  await using site = await read(OPERATOR)
  for (const path of ['/privacy', '/support']) {
    const { body } = await site.request(path, {
      host: new URL(site.publicUrl).host,
      headers: { accept: 'text/html' },
    })
    t.regex(body, /Almeida \[Care\] Office in Portugal runs this installation/, path)
    t.regex(body, /href="mailto:care@almeida\.example"/, path)
  }
  await using trial = await read({})
  t.regex((await trial.get('/support')).body, /This installation is a trial on one machine/)
})

test('an installation that others reach does not start without saying who runs it', (t) => {
  const key = newKey('site')
  const services = ['AUTH', 'CARE_CIRCLE', 'INBOX', 'PIPE', 'SANDBOX'].map((name) => [`${name}_ADDRESS`, '127.0.0.1:1'])
  const keys = { SERVICE_KEY: JSON.stringify(key), SERVICE_KEYS: JSON.stringify({ keys: [publicHalf(key)] }) }
  const env = { ...keys, ...Object.fromEntries(services) }
  t.notThrows(() => environmentToConfig(env), 'on one machine it may')
  const reachable = { ...env, BASE_URL: 'https://family.example' }
  t.notThrows(() => environmentToConfig({ ...reachable, ...OPERATOR }))
  for (const missing of Object.keys(OPERATOR))
    t.throws(() => environmentToConfig({ ...reachable, ...OPERATOR, [missing]: undefined }), {
      message:
        /^OPERATOR_NAME, OPERATOR_CONTACT or OPERATOR_COUNTRY is missing: BASE_URL is https:\/\/family\.example, /,
    })
})

test('every API is in the catalog of APIs, and pages lead to it', async (t) => {
  await using site = await read({})
  const { linkset } = JSON.parse((await site.get('/.well-known/api-catalog')).body)
  const [catalog, ...apis] = linkset
  t.deepEqual(
    catalog.item.map(({ href }: { href: string }) => href),
    apis.map(({ anchor }: { anchor: string }) => anchor),
  )
  const { link } = (await site.get('/')).headers
  t.regex(String(link), /<[^>]+\/\.well-known\/api-catalog>; rel="api-catalog"/)
  t.regex(String(link), /<[^>]+\/openapi\.json>; rel="service-desc"/)
})

test('an icon is where directories and browsers look for one', async (t) => {
  await using site = await read({})
  for (const path of ['/icon-512.png', '/favicon.ico']) {
    const { status, headers } = await site.get(path)
    t.is(status, 200)
    t.is(headers['content-type'], 'image/png')
  }
})
