import { html } from '../shell/html.ts'
import { FACTS } from './facts.ts'
import type { PublicPage } from './load-content.ts'
import { renderMarkdown, slugOf } from './render-markdown.ts'

/** The notes as a feed (RFC 4287), newest first. */
export function atomFeed(base: string, { path, title, description, markdown }: PublicPage): string {
  const address = `${base}${path}`
  const notes = markdown
    .split('\n## ')
    .slice(1)
    .map((note) => toEntry(note, address))
    .toSorted((one, other) => other.updated.localeCompare(one.updated))
  return html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${address}</id>
<title>${FACTS.name}: ${title}</title>
<subtitle>${description}</subtitle>
<author><name>${FACTS.name}</name></author>
<link rel="self" href="${base}/blog.xml"/>
<link href="${address}"/>
<updated>${notes[0]?.updated}</updated>
${notes.map(
  ({ heading, updated, link, content }) => html`<entry>
<id>${link}</id>
<title>${heading}</title>
<updated>${updated}</updated>
<link href="${link}"/>
<content type="html">${content}</content>
</entry>
`,
)}</feed>
`.text
}

/** @param note its heading, the day it was written, and its text, with empty lines between */
function toEntry(note: string, address: string) {
  const [heading = '', , day = '', ...text] = note.split('\n')
  return {
    heading,
    updated: `${day.replaceAll('_', '')}T12:00:00Z`,
    link: `${address}#${slugOf(heading)}`,
    content: renderMarkdown(text.join('\n'), new Map()).text,
  }
}
