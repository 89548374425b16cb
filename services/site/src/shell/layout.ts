import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { initialsBadge } from './initials.ts'
import { type Page, type Place, PRODUCT, type Room, type Viewer, wordmark } from './page.ts'

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
<link rel="apple-touch-icon" href="${assets.appleTouch180.path}">
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

function signedInAs({ email, hasOtherWorkspaces }: Viewer, room: Room | undefined): Html {
  return html`<p>Signed in as <bdi>${email}</bdi>${room && html`, in <bdi>${room.workspace.name}</bdi>`}${
    hasOtherWorkspaces && html` · <a href="/households">Switch household</a>`
  }</p>`
}

const PLACES: { place: Place; label: string; path: string }[] = [
  { place: 'inbox', label: 'Inbox', path: '/inbox' },
  { place: 'timeline', label: 'Timeline', path: '/timeline' },
  { place: 'care-circle', label: 'Care circle', path: '/care-circle' },
  { place: 'settings', label: 'Settings', path: '/settings' },
]

/** The four words. Inbox and timeline stay with the loved one the reader is at. */
function roomLinks({ place, whose }: Room): Html {
  const chosen = whose?.current ? `/${whose.current}` : ''
  return html`<nav class="rooms" aria-label="Main"><ul>${PLACES.map((one) => {
    const path = one.place === 'inbox' && chosen === '' ? '/' : one.path
    const href = one.place === 'inbox' || one.place === 'timeline' ? `${path}${chosen}` : path
    return html`<li><a href="${href}"${one.place === place && html` aria-current="page"`}>${one.label}</a></li>`
  })}</ul></nav>`
}

/** Whose care the page is about: everyone, or one of several. With one loved one there is nothing to choose. */
function whoseLinks({ workspace, whose }: Room): Html | undefined {
  const { lovedOnes } = workspace
  if (whose === undefined || lovedOnes.length < 2) return undefined
  const mark = (id: string) => id === whose.current && html` aria-current="true"`
  return html`<nav class="whose" aria-label="Whose care"><ul>
<li><a href="${whose.hrefOf('')}"${mark('')}>Everyone</a></li>
${lovedOnes.map(
  ({ id, name, position }) =>
    html`<li><a href="${whose.hrefOf(id)}"${mark(id)}>${initialsBadge(name, position)}<bdi>${name}</bdi></a></li>`,
)}
</ul></nav>`
}
