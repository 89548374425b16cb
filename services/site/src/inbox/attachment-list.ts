import { type Attachment, PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { type Html, html } from '../shell/html.ts'
import { fileKind, sizeWords } from './file-words.ts'

type Attachments = {
  /** The address of the message. */
  path: string
  attachments: Attachment[]
}

/** The files of the open message. */
export function attachmentList({ path, attachments }: Attachments): Html | undefined {
  if (attachments.length === 0) return undefined
  return html`<section class="attachments" aria-labelledby="attachments">
<h2 id="attachments">${attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`}</h2>
${files({ path, attachments })}
</section>`
}

/** Each file once, with a small picture of what is in it. */
export function files({ path, attachments }: Attachments): Html {
  return html`<ul class="files">${attachments.map((attachment, index) => fileRow(attachment, `${path}/files/${index}`))}</ul>`
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
