import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Assets } from '../assets/assets.ts'
import type { Config } from '../config.ts'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import { wordmark } from '../shell/parts.ts'
import { FACTS } from './facts.ts'
import type { PublicPage } from './load-content.ts'

export type PublicSite = { urls: Config['urls']; assets: Assets; pages: readonly PublicPage[] }

export type PublicContent = {
  title: string
  description: string
  main: Html
  /** Undefined for error pages, which are not indexed. */
  path?: string
}

const IN_HEADER = new Set(['/getting-started', '/for-providers', '/about'])

export function publicDocument(content: PublicContent, { urls, assets, pages }: PublicSite): Html {
  const { title, description, main, path } = content
  const fullTitle = path === '/' ? `${PRODUCT} · ${title}` : `${title} · ${PRODUCT}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${fullTitle}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
${path === undefined ? html`<meta name="robots" content="noindex">` : addresses({ title: fullTitle, description, path }, urls.base)}
<script type="application/ld+json">${aboutUs(urls.base)}</script>
<link rel="stylesheet" href="${assets.style.path}">
<link rel="icon" href="${assets.mark.path}" type="image/svg+xml">
${main.text.includes('data-copies') && html`<script src="${assets.copyScript.path}" type="module"></script>`}
</head>
<body class="public">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
${wordmark('/')}
<nav aria-label="Main"><ul class="links">
${pages.filter((page) => IN_HEADER.has(page.path)).map((page) => link(page, path))}
</ul></nav>
<a class="open" href="${urls.inbox}/">Sign in</a>
</header>
<main id="main" tabindex="-1" class="prose">
${main}
</main>
<footer class="foot">
<nav aria-label="All pages"><ul class="links">${pages.map((page) => link(page, path))}</ul></nav>
<p>For agents: <a href="/llms.txt">llms.txt</a>, <a href="/openapi.json">openapi.json</a>, <a href="/.well-known/mcp/server.json">server.json</a>, and every page as <code>text/markdown</code>.</p>
</footer>
</body>
</html>
`
}

/** For search engines (schema.org). A data block, which no browser runs; JSON has no character that ends it once `<` is escaped. */
function aboutUs(base: string): Html {
  const about = {
    '@context': 'https://schema.org',
    '@type': 'WebApplication',
    name: PRODUCT,
    url: base,
    description: FACTS.sentence,
    applicationCategory: 'HealthApplication',
    operatingSystem: 'Any',
  }
  return trustedHtml(JSON.stringify(about).replaceAll('<', '\\u003c'))
}

function link({ path, label }: PublicPage, current: string | undefined): Html {
  return html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${label}</a></li>\n`
}

function addresses({ title, description, path }: { title: string; description: string; path: string }, base: string) {
  return html`<link rel="canonical" href="${base}${path}">
<link rel="alternate" type="text/markdown" href="${base}${markdownPath(path)}">${
    path === '/blog' &&
    html`
<link rel="alternate" type="application/atom+xml" href="${base}/blog.xml" title="${title}">`
  }
<meta property="og:type" content="website">
<meta property="og:site_name" content="${PRODUCT}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${base}${path}">
<meta name="twitter:card" content="summary">`
}

export function markdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`
}
