import { html } from './html.ts'
import type { Page, Viewer } from './page.ts'

export type MessageData = {
  title: string
  /** What happened, what was kept, what to do: one sentence or two each. */
  lines: string[]
  next?: { label: string; href: string }
  viewer?: Viewer
  allowsExternalRedirects?: boolean
}

/** A page that says one thing and offers one way on: errors, and ends of the road. */
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
