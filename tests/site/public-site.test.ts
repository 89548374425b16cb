import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import anyTest from 'ava'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import robotsParserModule from 'robots-parser'
import { MOST_METADATA_BYTES, SERVER_MANIFEST } from './_server-manifest-schema.ts'
import { type Answer, openSite, type RequestOptions } from './_site.ts'

// Its types say that it is an ES module, which it is not.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default

const test = anyTest.serial
const site = await openSite()
test.after.always(() => site[Symbol.asyncDispose]())

const PAGES = [
  '/',
  '/about',
  '/our-brands',
  '/getting-started',
  '/for-providers',
  '/developers',
  '/blog',
  '/support',
  '/privacy',
  '/terms',
]
const FILES: [string, string][] = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/api/openapi.json', 'application/json; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
  ['/blog.xml', 'application/atom+xml; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/llms-full.txt', 'text/plain; charset=utf-8'],
  ['/.well-known/mcp/server.json', 'application/json; charset=utf-8'],
  ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json'],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json'],
  ['/.well-known/mcp/catalog.json', 'application/json; charset=utf-8'],
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
]
const ERROR = new Ajv().compile({
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      additionalProperties: false,
      properties: {
        code: { enum: ['not_found', 'method_not_allowed', 'not_acceptable', 'spec_unavailable', 'bad_request'] },
        message: { type: 'string', minLength: 1 },
        hint: { type: 'string', minLength: 1 },
      },
    },
  },
})

function get(path: string, headers: Record<string, string> = {}, options: RequestOptions = {}): Promise<Answer> {
  return site.request(path, { ...options, host: new URL(site.publicUrl).host, headers: { accept: '*/*', ...headers } })
}

for (const path of PAGES)
  test(`${path} is available as HTML and as Markdown`, async (t) => {
    const html = await get(path, { accept: 'text/html' })
    const markdown = await get(path, { accept: 'text/markdown' })
    t.is(html.headers['content-type'], 'text/html; charset=utf-8')
    t.is(markdown.headers['content-type'], 'text/markdown; charset=utf-8')
    t.is(html.headers['cache-control'], 'public, max-age=300')
    t.is(markdown.headers['cache-control'], 'private, max-age=300')
    t.not(html.headers.etag, markdown.headers.etag)
    t.regex(markdown.body, /^# \S/)
    t.notRegex(markdown.body, /\{\{|undefined/)
    t.true(String(html.headers.link).includes('rel="alternate"; type="text/markdown"'))
    t.true(html.body.includes(`<link rel="canonical" href="${site.publicUrl}${path}">`))
    t.regex(html.body, /<meta name="description" content="[^"]{50,}">/)
    t.regex(html.body, /<meta property="og:title"/)
    const twin = await get(path === '/' ? '/index.md' : `${path}.md`, { accept: 'text/html' })
    t.is(twin.body, markdown.body)
    for (const { headers, status } of [html, markdown, twin]) {
      t.is(status, 200)
      t.is(headers.vary, 'Accept, Accept-Encoding')
      t.is(headers['set-cookie'], undefined)
      t.regex(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self'; img-src 'self'; /)
    }
  })

for (const [path, type] of FILES)
  test(`${path} is sent regardless of Accept`, async (t) => {
    for (const accept of ['*/*', 'text/html', 'application/nothing']) {
      const answer = await get(path, { accept })
      t.is(answer.status, 200)
      t.is(answer.headers['content-type'], type)
    }
    const head = await get(path, {}, { method: 'HEAD' })
    t.is(head.body, '')
    t.is(head.headers['content-length'], (await get(path)).headers['content-length'])
  })

test('both paths of the OpenAPI document return the same valid OpenAPI 3.0', async (t) => {
  const first = await get('/openapi.json')
  t.is((await get('/api/openapi.json')).body, first.body)
  const document = JSON.parse(first.body)
  t.is(document.openapi, '3.0.3')
  t.is(document.info.version, '1.0.0')
  const { valid, errors } = await new Validator().validate(document)
  t.true(valid, JSON.stringify(errors))
  t.deepEqual(document.components.schemas.Error.properties.error.properties.code.enum.length, 5)
})

test('every operation of the OpenAPI document works as described', async (t) => {
  const { paths } = JSON.parse((await get('/openapi.json')).body)
  for (const [path, { get: operation }] of Object.entries<{ get: { responses: Record<string, { content: object }> } }>(
    paths,
  )) {
    for (const type of Object.keys(operation.responses['200']?.content ?? {})) {
      const { status, headers } = await get(path, { accept: type })
      t.is(status, 200, path)
      t.is(String(headers['content-type']).split(';')[0], type)
    }
    t.is((await get(path, {}, { method: 'DELETE' })).status, 405)
    t.is((await get(path, { accept: 'image/png' })).status, operation.responses['406'] ? 406 : 200, path)
  }
  for (const path of [...PAGES, ...FILES.map(([file]) => file)]) t.truthy(paths[path], path)
})

test('the manifest matches the registry format of 2025-12-11', async (t) => {
  const manifest = JSON.parse((await get('/.well-known/mcp/server.json')).body)
  const isValid = new Ajv({ formats: { uri: (text: string) => URL.canParse(text) } }).compile(SERVER_MANIFEST)
  t.true(isValid(manifest), JSON.stringify(isValid.errors))
  t.false(isValid({ ...manifest, description: 'x'.repeat(101) }))
  t.false(isValid({ ...manifest, name: 'family-inbox' }))
  t.true(JSON.stringify(manifest._meta).length < MOST_METADATA_BYTES)
  t.is(manifest.name, 'app.service/family-inbox')
  t.is(manifest.version, '0.3.0')
  t.deepEqual(manifest.remotes, [{ type: 'streamable-http', url: 'http://localhost:8081/mcp/v1' }])
})

test('llms.txt is well formed and its links to this site work', async (t) => {
  const { body } = await get('/llms.txt')
  // llmstxt.org: one title, then a summary, then text without headings, then sections that are lists of links.
  const [head = '', ...sections] = body.split(/^## /m)
  t.regex(head, /^# Family Care Inbox\n\n> .+\n\n[^#>]+$/)
  t.is(sections.at(-1)?.split('\n')[0], 'Optional')
  const links = sections.flatMap((section) => {
    const [, blank, ...lines] = section.trimEnd().split('\n')
    t.is(blank, '')
    return lines.map((line) => /^- \[[^\]]+\]\((https?:\/\/[^)\s]+)\): \S.*$/.exec(line)?.[1] ?? t.fail(line))
  })
  t.true(links.length >= 14)
  t.is(new Set(links).size, links.length)
  for (const url of links.map(String))
    if (url.startsWith(site.publicUrl)) t.is((await get(url.slice(site.publicUrl.length))).status, 200, url)
  t.true(links.includes(`${site.url}/api/mcp/public`), 'the sandbox')
  t.true(links.includes(`${site.url}/onboarding`), 'the claim')
})

test('the feed is valid, and its notes are those of the page', async (t) => {
  const { body } = await get('/blog.xml')
  t.is(XMLValidator.validate(body), true)
  const { feed } = new XMLParser({ ignoreAttributes: false, htmlEntities: true }).parse(body)
  const page = (await get('/blog', { accept: 'text/markdown' })).body
  t.deepEqual(
    feed.entry.map(({ title }: { title: string }) => title),
    [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
  )
  for (const { updated, content, id } of feed.entry) {
    t.false(Number.isNaN(Date.parse(updated)), id)
    t.regex(content['#text'], /^<p>/)
    t.notRegex(content['#text'], /_\d{4}-/)
  }
  t.regex((await get('/blog', { accept: 'text/html' })).body, /<link rel="alternate" type="application\/atom\+xml"/)
})

test('the sitemap is valid and lists every page', async (t) => {
  const { body, bytes } = await get('/sitemap.xml')
  t.is(XMLValidator.validate(body), true)
  t.true(body.startsWith('<?xml version="1.0" encoding="UTF-8"?>'))
  // sitemaps.org: at most 50,000 addresses and 50 MB, each absolute, shorter than 2,048 characters and on this host.
  t.true(bytes.length < 50 * 1024 * 1024)
  const { urlset, ...others } = new XMLParser({ ignoreAttributes: false }).parse(body)
  t.deepEqual(Object.keys(others), ['?xml'])
  t.is(urlset['@_xmlns'], 'http://www.sitemaps.org/schemas/sitemap/0.9')
  const listed: string[] = urlset.url.map(({ loc }: { loc: string }) => loc)
  for (const loc of listed) t.true(loc.length < 2048 && new URL(loc).origin === site.publicUrl, loc)
  t.deepEqual(listed.toSorted(), PAGES.map((path) => site.publicUrl + path).toSorted())
})

test('robots.txt allows everything and names the sitemap', async (t) => {
  const { body } = await get('/robots.txt')
  const robots = robotsParser(`${site.publicUrl}/robots.txt`, body)
  t.deepEqual(robots.getSitemaps(), [`${site.publicUrl}/sitemap.xml`])
  for (const agent of ['Googlebot', 'GPTBot', 'ClaudeBot', 'anything'])
    for (const path of [...PAGES, ...FILES.map(([file]) => file), '/about.md'])
      t.true(robots.isAllowed(site.publicUrl + path, agent), path)
})

test('a response is compressed for the client and revalidated by ETag', async (t) => {
  const plain = await get('/about')
  const etags = new Set([plain.headers.etag])
  for (const [coding, unpack] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const packed = await get('/about', { 'accept-encoding': coding })
    t.is(packed.headers['content-encoding'], coding)
    t.is(unpack(packed.bytes).toString(), plain.body)
    etags.add(packed.headers.etag)
    const again = await get('/about', { 'accept-encoding': coding, 'if-none-match': `"x", W/${packed.headers.etag}` })
    t.is(again.status, 304)
    t.is(again.body, '')
    t.is(again.headers.etag, packed.headers.etag)
    t.is(again.headers.vary, 'Accept, Accept-Encoding')
    t.is(again.headers['content-type'], undefined)
  }
  t.is(etags.size, 3)
  t.is((await get('/about', { 'if-none-match': '"x"' })).status, 200)
  t.is((await get('/about', { 'if-none-match': '*' })).status, 304)
})

const refusals: [string, string, Record<string, string>, number, string][] = [
  ['GET', '/nowhere', {}, 404, 'not_found'],
  ['POST', '/nowhere', {}, 404, 'not_found'],
  ['GET', '/about/', {}, 404, 'not_found'],
  ['GET', '/ABOUT', {}, 404, 'not_found'],
  ['GET', '/about/../privacy', {}, 404, 'not_found'],
  ['GET', '/%2e%2e/about', {}, 404, 'not_found'],
  ['GET', '/%252e%252e%252fetc%252fpasswd', {}, 404, 'not_found'],
  ['GET', '/..%2f..%2fpackage.json', {}, 404, 'not_found'],
  ['GET', '//about', {}, 404, 'not_found'],
  ['GET', '/about%00', {}, 404, 'not_found'],
  ['GET', '/%', {}, 400, 'bad_request'],
  ['GET', '/%zz', {}, 400, 'bad_request'],
  ['POST', '/about', {}, 405, 'method_not_allowed'],
  ['PUT', '/openapi.json', {}, 405, 'method_not_allowed'],
  ['DELETE', '/', {}, 405, 'method_not_allowed'],
  ['PROPFIND', '/llms.txt', {}, 405, 'method_not_allowed'],
  ['GET', '/', { accept: 'application/json' }, 406, 'not_acceptable'],
  ['GET', '/', { accept: 'text/html;q=0' }, 406, 'not_acceptable'],
]
for (const [method, path, headers, status, code] of refusals)
  test(`${method} ${path} ${JSON.stringify(headers)} is ${status}, with the error object`, async (t) => {
    const answer = await get(path, headers, { method })
    t.is(answer.status, status)
    t.is(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.is(answer.headers.vary, 'Accept, Accept-Encoding')
    const body = JSON.parse(answer.body)
    t.true(ERROR(body))
    t.is(body.error.code, code)
    t.is(answer.headers.allow, status === 405 ? 'GET, HEAD, OPTIONS' : undefined)
    const head = await get(path, headers, { method: 'HEAD' })
    t.is(head.body, '')
  })

test('a browser gets a helpful error page', async (t) => {
  const answer = await get('/nowhere', { accept: 'text/html,*/*;q=0.8' })
  t.is(answer.status, 404)
  t.is(answer.headers['content-type'], 'text/html; charset=utf-8')
  for (const path of PAGES) t.true(answer.body.includes(`href="${path}"`))
  t.true(answer.body.includes('noindex'))
})

test('OPTIONS lists the allowed methods, and a query changes nothing', async (t) => {
  const options = await get('/about', {}, { method: 'OPTIONS' })
  t.is(options.status, 204)
  t.is(options.headers.allow, 'GET, HEAD, OPTIONS')
  t.is((await get('/about?utm_source=x')).status, 200)
})

test('the body of an unsupported method is not read', async (t) => {
  const answer = await get('/about', {}, { form: { a: 'x'.repeat(100_000) } })
  t.is(answer.status, 405)
})
