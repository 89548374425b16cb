import { Marked, type MarkedExtension, type Tokens } from 'marked'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import type { Picture, Pictures } from './load-content.ts'

/** Renders our own Markdown. A paragraph with only a link becomes a button. Throws when an image is unknown. */
export function renderMarkdown(markdown: string, pictures: Pictures = new Map()): Html {
  const marked = new Marked({ gfm: true }, createRules())
  marked.use({
    renderer: {
      image({ href, text }) {
        const [first, ...others] = pictures.get(href) ?? []
        if (first === undefined) throw new Error(`unknown image ${href}`)
        return renderPicture(first, others, text)
      },
    },
  })
  return trustedHtml(marked.parse(markdown, { async: false }))
}

export function slugOf(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return (words ?? []).join('-')
}

function createRules(): MarkedExtension {
  // Tables are labeled with the heading above them, for screen readers.
  let title = ''
  return {
    renderer: {
      heading({ tokens, depth, text }) {
        title = text.replace(/[*_`]/g, '')
        const content = trustedHtml(this.parser.parseInline(tokens))
        const open = trustedHtml(`<h${depth}`)
        return html`${open} id="${slugOf(text)}">${content}${trustedHtml(`</h${depth}>`)}\n`.text
      },
      code({ text }) {
        return html`<pre tabindex="0"><code>${text}</code></pre>\n`.text
      },
      table(token) {
        const table = trustedHtml(renderTable(token, (cell) => this.parser.parseInline(cell.tokens)))
        return html`<div class="wide" role="region" aria-label="Table: ${title}" tabindex="0">${table}</div>\n`.text
      },
      paragraph({ tokens }) {
        const [only, ...others] = tokens
        if (only?.type === 'link' && others.length === 0)
          return html`<p><a class="button" href="${only.href as string}">${only.text as string}</a></p>\n`.text
        return false
      },
    },
  }
}

/** @param others variants for other screens, the most specific first */
function renderPicture({ path, width, height }: Picture, others: readonly Picture[], alt: string): string {
  const sources = others.map(
    (other) =>
      html`<source media="${other.media}" srcset="${other.path}" width="${other.width}" height="${other.height}">`,
  )
  return html`<picture>${sources}<img src="${path}" alt="${alt}" width="${width}" height="${height}"></picture>`.text
}

function renderTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const head = header.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`).join('\n')
  const isUntitled = header.every(({ text }) => text === '')
  return `<table>${isUntitled ? '' : `<thead><tr>${head}</tr></thead>`}<tbody>\n${body}\n</tbody></table>`
}
