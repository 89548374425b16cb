import type { Assets } from '../assets.ts'
import { type Html, html } from '../html.ts'
import type { Page, Room, Viewer } from './page.ts'
import { roomLinks, whoseLinks } from './rooms.ts'
import { PRODUCT, wordmark } from './wordmark.ts'

/** The document of a page of the application. */
export function applicationDocument(page: Page, assets: Assets, baseUrl: string): Html {
  const { title, viewer, room, hasErrors, isWide, notice } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${hasErrors && 'Error: '}${title} · ${PRODUCT}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#faf8f4" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#15171a" media="(prefers-color-scheme: dark)">
<link rel="stylesheet" href="${assets.style.path}">
<link rel="icon" href="${assets.mark.path}" type="image/svg+xml">
<link rel="manifest" href="${assets.manifest.path}">
<script src="${assets.script.path}" type="module"></script>
</head>
<body class="application${room && ' in-room'}${isWide && ' wide'}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
${wordmark('/')}
${room ? roomLinks(room) : viewer && signOut()}
${room && whoseLinks(room)}
</header>
<main id="main" tabindex="-1">
${notice && html`<p class="done" role="status">${notice}</p>`}
${page.main}
</main>
<footer class="foot">
${viewer && signedInAs(viewer, room)}
<ul class="links">
<li><a href="${baseUrl}/">About</a></li>
<li><a href="${baseUrl}/privacy">Privacy</a></li>
<li><a href="${baseUrl}/terms">Terms</a></li>
</ul>
${room && signOut()}
</footer>
</body>
</html>
`
}

function signOut(): Html {
  return html`<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`
}

function signedInAs({ email, hasOtherHouseholds }: Viewer, room: Room | undefined): Html {
  return html`<p>Signed in as <bdi>${email}</bdi>${room && html`, in <bdi>${room.household.name}</bdi>`}${
    hasOtherHouseholds && html` · <a href="/households">Switch household</a>`
  }</p>`
}
