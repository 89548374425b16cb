import type { Assets } from '../assets.ts'
import { type Html, html } from '../html.ts'
import type { Page, Viewer } from './page.ts'
import { PRODUCT, wordmark } from './wordmark.ts'

/** The document of a page of the application. */
export function applicationDocument(page: Page, assets: Assets, baseUrl: string): Html {
  const { title, viewer, hasErrors } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${hasErrors && 'Error: '}${title} · ${PRODUCT}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets.style.path}">
<link rel="icon" href="${assets.mark.path}" type="image/svg+xml">
</head>
<body class="application">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
${wordmark('/')}
${viewer && signOut()}
</header>
<main id="main" tabindex="-1">
${page.main}
</main>
<footer class="foot">
${viewer && signedInAs(viewer)}
<ul class="links">
<li><a href="${baseUrl}/">About</a></li>
<li><a href="${baseUrl}/privacy">Privacy</a></li>
<li><a href="${baseUrl}/terms">Terms</a></li>
</ul>
</footer>
</body>
</html>
`
}

function signOut(): Html {
  return html`<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`
}

function signedInAs({ email, hasOtherHouseholds }: Viewer): Html {
  return html`<p>Signed in as <bdi>${email}</bdi>${
    hasOtherHouseholds && html` · <a href="/households">Switch household</a>`
  }</p>`
}
