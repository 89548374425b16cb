import type { Attachment } from '@family-inbox/proto/inbox/v1/inbox'
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

export function files({ path, attachments }: Attachments): Html {
  return html`<ul class="files">${attachments.map(
    ({ filename, contentType, size }, index) =>
      html`<li><a href="${path}/files/${index}" download><bdi>${filename}</bdi></a> <span class="hint">${fileKind(contentType, filename)}, ${sizeWords(size)}</span></li>`,
  )}</ul>`
}
