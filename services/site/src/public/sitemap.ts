import { html } from '../html.ts'
import type { PublicPage } from './load-pages.ts'

/** Every page by its absolute address (sitemaps.org 0.9). */
export function sitemapXml(base: string, pages: readonly PublicPage[]): string {
  const urls = pages.map(({ path }) => html`<url><loc>${base}${path}</loc></url>\n`)
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls}</urlset>
`.text
}

/** Everybody may read everything here (RFC 9309). */
export function robotsTxt(base: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${base}/sitemap.xml\n`
}
