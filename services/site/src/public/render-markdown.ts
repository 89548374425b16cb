import { Marked, type MarkedExtension, type Tokens } from 'marked'
import { type Html, html, trustedHtml } from '../shell/html.ts'
import { copyable } from '../shell/parts.ts'
import type { Picture, Pictures } from './load-content.ts'

/** Renders our own Markdown. A paragraph with only links becomes buttons. Throws when an image is unknown. */
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

/** From so many parts on, a page begins with a list of them. */
const LONG = 4

/** Adds the list of a long page's parts, before the first of them. */
export function withContents(markdown: string, rendered: Html): Html {
  const parts = new Marked()
    .lexer(markdown)
    .flatMap((token) => (token.type === 'heading' && token.depth === 2 ? [token.text as string] : []))
  if (parts.length < LONG) return rendered
  const list = html`<nav aria-label="On this page"><ul class="contents">${parts.map((text) => html`<li><a href="#${slugOf(text)}">${text.replaceAll(/[*_`]/g, '')}</a></li>`)}</ul></nav>\n`
  return trustedHtml(rendered.text.replace('<h2 ', () => `${list.text}<h2 `))
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
  let codes = 0
  return {
    renderer: {
      heading({ tokens, depth, text }) {
        title = text.replace(/[*_`]/g, '')
        const content = trustedHtml(this.parser.parseInline(tokens))
        const open = trustedHtml(`<h${depth}`)
        return html`${open} id="${slugOf(text)}">${content}${trustedHtml(`</h${depth}>`)}\n`.text
      },
      code({ text }) {
        codes += 1
        return html`${copyable({ id: `code-${codes}`, text, what: 'the text', look: 'block' })}\n`.text
      },
      table(token) {
        const table = trustedHtml(renderTable(token, (cell) => this.parser.parseInline(cell.tokens)))
        return html`<div class="wide" role="region" aria-label="Table: ${title}" tabindex="0">${table}</div>\n`.text
      },
      paragraph({ tokens }) {
        const links = tokens.filter((token): token is Tokens.Link => token.type === 'link')
        if (links.length === 0 || tokens.some(({ type, raw }) => type !== 'link' && raw.trim() !== '')) return false
        return html`<p class="row">${links.map(
          ({ href, text }, index) => html`<a class="button${index > 0 && ' second'}" href="${href}">${text}</a>`,
        )}</p>\n`.text
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
