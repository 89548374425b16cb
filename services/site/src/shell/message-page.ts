import { html } from './html.ts'
import type { Page, Viewer } from './page.ts'

type MessageData = {
  title: string
  lines: string[]
  next?: { label: string; href: string }
  viewer?: Viewer
  allowsExternalRedirects?: boolean
}

/** Builds a page with a short message and one link, for errors and results. */
export function messagePage({ title, lines, next, viewer, allowsExternalRedirects }: MessageData): Page {
  return {
    title,
    viewer,
    allowsExternalRedirects,
    main: html`<h1>${title}</h1>
${lines.map((line) => html`<p>${line}</p>`)}
${next && html`<p><a class="button" href="${next.href}">${next.label}</a></p>`}`,
  }
}
