import type { RequestListener } from 'node:http'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import { CARD_PATHS, CARD_TYPE, serverCard } from '@family-inbox/workspace-kit/server-card'
import type { Assets } from '../assets/assets.ts'
import { compress } from '../assets/compression.ts'
import type { Config } from '../config.ts'
import { publicSecurityHeaders } from '../shell/security-headers.ts'
import {
  answerPublic,
  type PublicAnswers,
  type PublicError,
  type Representation,
  type Resource,
  toResource,
} from './answer.ts'
import {
  aiCatalog,
  apiCatalog,
  llmsFullTxt,
  llmsTxt,
  robotsTxt,
  securityTxt,
  serverJson,
  sitemapXml,
} from './discovery.ts'
import { ERRORS, errorContent, errorObject } from './errors.ts'
import { placeholders } from './facts.ts'
import { atomFeed } from './feed.ts'
import { markdownPath, type PublicSite, publicDocument } from './layout.ts'
import { loadPages, loadPictures, type Pictures, type PublicPage } from './load-content.ts'
import { openapiJson } from './openapi.ts'
import { renderMarkdown, withContents } from './render-markdown.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** Builds all responses of the public site, once at start-up. */
export async function makePublicAnswers(config: Config, assets: Assets, logger: Logger): Promise<PublicAnswers> {
  const pages = await loadPages(placeholders(config))
  const pictures = await loadPictures()
  const site = { urls: config.urls, assets, pages }
  const resources = new Map<string, Resource | 'unavailable'>()
  for (const page of pages) {
    const [inHtml, inMarkdown] = [htmlOf(page, site, pictures), markdownOf(page, config)]
    resources.set(page.path, toResource(inHtml, inMarkdown))
    resources.set(markdownPath(page.path), toResource(inMarkdown))
  }
  const openapi = openapiOf(config, pages, logger)
  resources.set('/openapi.json', openapi).set('/api/openapi.json', openapi)
  for (const [path, [type, text]] of Object.entries(filesOf(config, pages)))
    if (text !== undefined) resources.set(path, fileOf(type, text))
  for (const [path, { type, content }] of Object.entries(stableIcons(assets)))
    resources.set(path, toResource({ type, content, headers: { 'Cache-Control': 'public, max-age=86400' } }))
  for (const { path, bytes } of [...pictures.values()].flat()) resources.set(path, pictureOf(bytes))
  const { pushWorker: _, ...shared } = assets
  for (const { path, type, content } of Object.values(shared))
    resources.set(
      path,
      toResource({ type, content, headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } }),
    )
  return { resources, errors: errorsOf(site) }
}

/** What programs look for, at the paths where they look. A file that a setting makes is absent without it. */
function filesOf(config: Config, pages: PublicPage[]): Record<string, [type: string, text: string | undefined]> {
  const catalog: [string, string] = ['application/ai-catalog+json', aiCatalog(config)]
  return {
    '/.well-known/mcp/server.json': [JSON_TYPE, serverJson(config)],
    [CARD_PATHS.wellKnown]: [CARD_TYPE, serverCard(config)],
    '/.well-known/ai-catalog.json': catalog,
    '/.well-known/mcp/catalog.json': [JSON_TYPE, catalog[1]],
    '/.well-known/api-catalog': [
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      apiCatalog(config),
    ],
    '/.well-known/security.txt': [TEXT_TYPE, securityTxt(config)],
    '/.well-known/mcp-registry-auth': [TEXT_TYPE, config.registryAuth],
    '/.well-known/openai-apps-challenge': [TEXT_TYPE, config.appsChallenge],
    '/llms.txt': [TEXT_TYPE, llmsTxt(config, pages)],
    '/llms-full.txt': [TEXT_TYPE, llmsFullTxt(pages)],
    '/robots.txt': [TEXT_TYPE, robotsTxt(config.urls.base)],
    '/blog.xml': ['application/atom+xml; charset=utf-8', atomFeed(config.urls.base, pageAt(pages, '/blog'))],
    '/sitemap.xml': ['application/xml; charset=utf-8', sitemapXml(config.urls.base, pages)],
  }
}

function pageAt(pages: PublicPage[], path: string): PublicPage {
  const page = pages.find((one) => one.path === path)
  if (page === undefined) throw new Error(`${path} is missing`)
  return page
}

/** Where directories, registries and browsers look for an icon without reading a page. */
function stableIcons({ icon192, icon512 }: Assets): Record<string, Assets['icon512']> {
  return { '/icon-512.png': icon512, '/favicon.ico': icon192 }
}

function htmlOf(page: PublicPage, site: PublicSite, pictures: Pictures): Representation {
  const rendered = renderMarkdown(page.markdown, pictures)
  const main = page.path === '/' ? rendered : withContents(page.markdown, rendered)
  const content = compress(Buffer.from(publicDocument({ ...page, main }, site).text))
  const alternate = `<${site.urls.base}${markdownPath(page.path)}>; rel="alternate"; type="text/markdown"`
  const links = [alternate, canonical(page, site), ...described(site)]
  const headers = { 'Cache-Control': 'public, max-age=300', Link: links.join(', ') }
  return { type: HTML_TYPE, content, headers }
}

/** Private, because a cache that ignores Vary could serve Markdown to a browser. */
function markdownOf(page: PublicPage, config: Config): Representation {
  const headers = { 'Cache-Control': 'private, max-age=300', Link: canonical(page, config) }
  return { type: MARKDOWN_TYPE, content: compress(Buffer.from(page.markdown)), headers }
}

/** RFC 9727 section 3, RFC 8631. */
function described({ urls }: PublicSite): string[] {
  return [
    `<${urls.base}/.well-known/api-catalog>; rel="api-catalog"`,
    `<${urls.base}/openapi.json>; rel="service-desc"; type="application/json"`,
  ]
}

function canonical({ path }: PublicPage, { urls }: Pick<Config, 'urls'>): string {
  return `<${urls.base}${path}>; rel="canonical"`
}

function fileOf(type: string, text: string): Resource {
  const headers = { 'Cache-Control': 'public, max-age=300' }
  return toResource({ type, content: compress(Buffer.from(text)), headers })
}

function pictureOf(bytes: Buffer): Resource {
  const headers = { 'Cache-Control': 'public, max-age=86400' }
  return toResource({ type: 'image/webp', content: compress(bytes, 'least'), headers })
}

/** A failure must not take the pages down (SPEC: 500 spec_unavailable). */
function openapiOf(config: Config, pages: PublicPage[], logger: Logger): Resource | 'unavailable' {
  try {
    return fileOf(JSON_TYPE, openapiJson(config, pages))
  } catch (error) {
    logger.error(describeError(error), 'failed to build the OpenAPI document')
    return 'unavailable'
  }
}

function errorsOf(site: PublicSite): Record<PublicError, Resource> {
  const made = Object.entries(ERRORS).map(([code, words]): [string, Resource] => {
    const page = publicDocument(errorContent(words, site), site).text
    const inJson = { type: JSON_TYPE, content: compress(Buffer.from(errorObject(code, words))), headers: {} }
    const inHtml = { type: HTML_TYPE, content: compress(Buffer.from(page)), headers: {} }
    return [code, toResource(inJson, inHtml)]
  })
  return Object.fromEntries(made) as Record<PublicError, Resource>
}

/** Serves the public site from memory, without Express for speed. */
export function servePublic(config: Pick<Config, 'urls'>, answers: PublicAnswers): RequestListener {
  const security = publicSecurityHeaders(config)
  return (req, res) => {
    const { accept, 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch } = req.headers
    const request = { method: req.method ?? 'GET', target: req.url ?? '/', accept, ifNoneMatch }
    const coding = Array.isArray(acceptEncoding) ? acceptEncoding.join(',') : acceptEncoding
    const { status, headers, body } = answerPublic(answers, { ...request, acceptEncoding: coding })
    req.resume()
    res.writeHead(status, { ...security, ...headers }).end(body)
  }
}
