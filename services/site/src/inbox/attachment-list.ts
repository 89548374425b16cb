import { type Attachment, PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { sizeWords } from '../shell/parts.ts'
import { fileKind } from './file-words.ts'

type Attachments = {
  /** The address of the message. */
  path: string
  attachments: Attachment[]
}

/** The files of the open message, without calendar files that cards show. Pictures inside of the letter are folded. */
export function attachmentList({ path, attachments, onCards }: Attachments & { onCards: number[] }): Html | undefined {
  const all = attachments.map((attachment, index) => ({ attachment, index }))
  const shown = all.filter(({ index }) => !onCards.includes(index))
  const listed = shown.filter(({ attachment }) => !attachment.embedded)
  const pictures = shown.filter(({ attachment }) => attachment.embedded)
  if (shown.length === 0) return undefined
  return html`<section class="attachments" aria-label="Attachments">
${listed.length > 0 && html`<h2>${listed.length === 1 ? '1 attachment' : `${listed.length} attachments`}</h2>${fileRows(path, listed)}`}
${pictures.length > 0 && html`<details><summary>${pictures.length === 1 ? '1 picture in the letter' : `${pictures.length} pictures in the letter`}</summary>${fileRows(path, pictures)}</details>`}
</section>`
}

function fileRows(path: string, shown: { attachment: Attachment; index: number }[]): Html {
  return html`<ul class="files">${shown.map(({ attachment, index }) => fileRow(attachment, `${path}/files/${index}`))}</ul>`
}

/** Each file once, with a small picture of what is in it. */
export function files({ path, attachments }: Attachments): Html {
  return fileRows(
    path,
    attachments.map((attachment, index) => ({ attachment, index })),
  )
}

function fileRow({ filename, contentType, size, preview }: Attachment, path: string): Html {
  const isDrawn = preview === PreviewKind.PICTURE || preview === PreviewKind.PAGES
  return html`<li>${isDrawn && html`<img class="thumb" src="${path}/preview" alt="" width="96" height="96" loading="lazy" decoding="async">`}
<div><a href="${path}" download><bdi>${filename}</bdi></a> <span class="hint">${fileKind(contentType, filename)}, ${sizeWords(size)}</span>
${isDrawn && look(filename, path, preview === PreviewKind.PAGES)}</div></li>\n`
}

/** The frame loads when it is opened, without a script. */
function look(filename: string, path: string, isDocument: boolean): Html {
  const words = isDocument ? 'Show pages' : 'Show picture'
  return html`<details class="look linked"><summary>${words}<span class="unseen"> of <bdi>${filename}</bdi></span></summary>
<iframe sandbox="allow-same-origin" loading="lazy" src="${path}/pages" title="${isDocument ? 'Pages' : 'Picture'}: ${filename}"></iframe>
<p><a href="${path}/pages" target="_blank" rel="noopener">Open larger</a></p></details>`
}
