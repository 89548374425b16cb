import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'
import { CARD_PATHS, CARD_TYPE } from '@family-inbox/workspace-kit/server-card'
import type { Config } from '../config.ts'
import { ERROR_STATUS } from './answer.ts'
import { FACTS } from './facts.ts'
import { markdownPath } from './layout.ts'
import type { PublicPage } from './load-content.ts'

/** Renders the OpenAPI 3.0.3 document of the public site (SPEC "Versioning"). */
export function openapiJson({ urls }: Pick<Config, 'urls'>, pages: readonly PublicPage[]): string {
  return JSON.stringify({
    openapi: '3.0.3',
    info: {
      title: `${FACTS.name}: public site`,
      version: FACTS.documentVersion,
      description: `${FACTS.sentence} This document covers the public site only: discovery files and pages. For family data, use the family tool server at ${endpointsOf(urls).mcp} over MCP.`,
    },
    servers: [{ url: urls.base }],
    externalDocs: { description: 'Index for agents', url: `${urls.base}/llms.txt` },
    paths: {
      '/openapi.json': file('This document', 'getOpenapi', 'application/json', ['405', '500']),
      '/api/openapi.json': file('This document, at its second path', 'getApiOpenapi', 'application/json', [
        '404',
        '405',
      ]),
      '/llms.txt': file('Index for agents', 'getLlmsTxt', 'text/plain', ['405']),
      '/sitemap.xml': file('Every page', 'getSitemap', 'application/xml', ['405']),
      '/blog.xml': file('Notes as a feed', 'getFeed', 'application/atom+xml', ['405']),
      '/robots.txt': file('Rules for crawlers', 'getRobots', 'text/plain', ['405']),
      '/llms-full.txt': file('All pages in one text', 'getLlmsFullTxt', 'text/plain', ['405']),
      '/.well-known/mcp/server.json': file('Manifest of the family tool server', 'getServerJson', 'application/json', [
        '405',
      ]),
      [CARD_PATHS.wellKnown]: file('Card of the family tool server', 'getServerCard', CARD_TYPE, ['405']),
      '/.well-known/ai-catalog.json': file('Where the card is', 'getAiCatalog', 'application/ai-catalog+json', ['405']),
      '/.well-known/mcp/catalog.json': file('The same', 'getMcpCatalog', 'application/json', ['405']),
      '/.well-known/api-catalog': file('All APIs', 'getApiCatalog', 'application/linkset+json', ['405']),
      ...Object.fromEntries(pages.flatMap(pagePaths)),
    },
    components: { schemas: { Error: ERROR_SCHEMA }, responses: ERROR_RESPONSES },
  })
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string' },
        hint: { type: 'string' },
      },
    },
  },
}

const ERRORS: Record<string, string> = {
  '404': 'The path does not exist: not_found.',
  '405': 'The method is not listed in Allow: method_not_allowed.',
  '406': 'Neither HTML nor Markdown is acceptable: not_acceptable.',
  '500': 'The document is not available right now: spec_unavailable.',
}

const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(ERRORS).map(([status, description]) => [
    `Error${status}`,
    { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  ]),
)

function file(summary: string, operationId: string, type: string, errors: string[]) {
  const schema = /[/+]json$/.test(type) ? { type: 'object' } : { type: 'string' }
  const success = { description: summary, content: { [type]: { schema } } }
  return { get: { summary, operationId, responses: { '200': success, ...errorReferences(errors) } } }
}

function pagePaths(page: PublicPage): [string, object][] {
  const { path, label, description } = page
  const inMarkdown = markdownPath(path)
  const name = inMarkdown.replace(/\.md$/, '').replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())
  const text = { schema: { type: 'string' } }
  const success = {
    description,
    headers: { Vary: { description: 'Accept, Accept-Encoding', schema: { type: 'string' } } },
    content: { 'text/html': text, 'text/markdown': text },
  }
  const negotiated = { '200': success, ...errorReferences(['405', '406']) }
  return [
    [path, { get: { summary: label, operationId: `get${name}Page`, responses: negotiated } }],
    [inMarkdown, file(`${label}, as Markdown`, `get${name}Markdown`, 'text/markdown', ['405']) as object],
  ]
}

function errorReferences(statuses: string[]) {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]))
}
