import { PRODUCT } from '@family-inbox/workspace-kit/product'
import { type Html, html } from './html.ts'

export function wordmark(href: string): Html {
  return html`<a class="wordmark" href="${href}"><svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M3.5 10 12 3.5l8.5 6.5v9a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 19z"/><path d="m3.5 10 8.5 5.5 8.5-5.5"/></svg> ${PRODUCT}</a>`
}

type Copyable = {
  id: string
  text: string
  /** Completes “Copy …” for screen readers, such as “the address”. */
  what: string
  look?: 'line' | 'large' | 'code' | 'block'
}

/** Renders text with a Copy button; without JavaScript there is only the text. */
export function copyable({ id, text, what, look = 'line' }: Copyable): Html {
  const shown =
    look === 'block'
      ? html`<pre tabindex="0" role="group" aria-label="Text to copy: ${what}"><code id="${id}">${text}</code></pre>`
      : html`<code id="${id}"><bdi>${text}</bdi></code>`
  return html`<div class="copyable ${look}">${shown}<button class="second" type="button" data-copies="${id}" hidden><span class="label">Copy</span><span class="unseen"> ${what}</span></button><span class="unseen" role="status"></span></div>`
}

type EmptyState = {
  title: string
  text: string
  action?: { label: string; href: string }
}

export function emptyState({ title, text, action }: EmptyState): Html {
  return html`<div class="empty">
<h2>${title}</h2>
<p>${text}</p>
${action && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`}
</div>`
}

const COLORS = 6
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function initialsBadge(name: string, position: number): Html {
  return html`<span class="badge loved-${(position % COLORS) + 1}" aria-hidden="true">${initialsOf(name)}</span>`
}

export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => firstLetter(word ?? ''))
  return letters.join('').toUpperCase()
}

function firstLetter(word: string): string {
  const [first] = graphemes.segment(word)
  return first?.segment ?? ''
}

type Paging = {
  /** Undefined on the first page. */
  firstHref?: string
  /** Undefined on the last page. */
  nextHref?: string
  words: { first: string; next: string }
}

/** Renders links to the first and the next page; cursors cannot go back one page. */
export function paging({ firstHref, nextHref, words }: Paging): Html | undefined {
  if (firstHref === undefined && nextHref === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
${firstHref && html`<a href="${firstHref}">${words.first}</a>`}
${nextHref && html`<a class="button second" href="${nextHref}" rel="next">${words.next}</a>`}
</nav>`
}

export function withQuery(path: string, parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`
}

/** Names the assistant and its person: “Claude Code, for Ana”. */
export function assistantOf(name: string, assistant: string): Html {
  if (assistant === '') return html`The assistant of <bdi>${name}</bdi>`
  return html`<bdi>${assistant}</bdi>, for <bdi>${name}</bdi>,`
}

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Joins words: "Ana, Luis and Marta". */
export function listWords(words: string[]): string {
  return LIST.format(words)
}
