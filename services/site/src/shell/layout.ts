import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Assets } from '../assets/assets.ts'
import { flashToast } from './flash.ts'
import { type Html, html } from './html.ts'
import type { Page, Section, SectionId, Viewer } from './page.ts'
import { initialsBadge, wordmark } from './parts.ts'

const SECTIONS: { id: SectionId; label: string; path: string }[] = [
  { id: 'inbox', label: 'Inbox', path: '/inbox' },
  { id: 'timeline', label: 'Timeline', path: '/timeline' },
  { id: 'appointments', label: 'Calendar', path: '/appointments' },
  { id: 'care-circle', label: 'Care circle', path: '/care-circle' },
  { id: 'settings', label: 'Settings', path: '/settings' },
]

/** @param baseUrl of the public site; undefined where there is none */
export function applicationDocument(page: Page, assets: Assets, baseUrl: string | undefined): Html {
  const { title, viewer, section, hasErrors, isWide, flash } = page
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
<body class="application${section && ' in-section'}${isWide && ' wide'}">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
${wordmark('/')}
${section ? mainNavigation(section) : viewer && signOut()}
${section && lovedOneSwitcher(section)}
</header>
<main id="main" tabindex="-1">
${flash && flashToast(flash, page.undo?.[flash])}
${page.urgent}
${page.main}
</main>
<footer class="foot">
${viewer && signedInAs(viewer, section)}
${baseUrl && publicLinks(baseUrl)}
${section && signOut()}
</footer>
</body>
</html>
`
}

function publicLinks(baseUrl: string): Html {
  return html`<ul class="links">
<li><a href="${baseUrl}/">About</a></li>
<li><a href="${baseUrl}/privacy">Privacy</a></li>
<li><a href="${baseUrl}/terms">Terms</a></li>
</ul>`
}

function signOut(): Html {
  return html`<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>`
}

function signedInAs({ email, hasOtherWorkspaces }: Viewer, section: Section | undefined): Html {
  return html`<p>Signed in as <bdi>${email}</bdi>${section && html`, in <bdi>${section.workspace.name}</bdi>`}${
    hasOtherWorkspaces && html` · <a href="/families">Switch family</a>`
  }</p>`
}

/** Inbox and Timeline keep the selected loved one. */
function mainNavigation({ id, switcher }: Section): Html {
  const selected = switcher?.current ? `/${switcher.current}` : ''
  return html`<nav class="main-nav" aria-label="Main"><ul>${SECTIONS.map((section) => {
    const path = section.id === 'inbox' && selected === '' ? '/' : section.path
    const href = section.id === 'inbox' || section.id === 'timeline' ? `${path}${selected}` : path
    return html`<li><a href="${href}"${section.id === id && html` aria-current="page"`}>${section.label}</a></li>`
  })}</ul></nav>`
}

/** Empty for a single loved one: there is nothing to switch. */
function lovedOneSwitcher({ workspace, switcher }: Section): Html | undefined {
  const { lovedOnes } = workspace
  if (switcher === undefined || lovedOnes.length < 2) return undefined
  const currentMark = (id: string) => id === switcher.current && html` aria-current="true"`
  return html`<nav class="switcher" aria-label="Loved one"><ul>
<li><a href="${switcher.hrefOf('')}"${currentMark('')}>Everyone</a></li>
${lovedOnes.map(
  ({ id, name, position }) =>
    html`<li><a href="${switcher.hrefOf(id)}"${currentMark(id)}>${initialsBadge(name, position)}<bdi>${name}</bdi></a></li>`,
)}
</ul></nav>`
}
