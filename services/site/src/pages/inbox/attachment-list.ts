import { type Html, html } from '../../html.ts'
import { fileKind, sizeWords } from '../../inbox/file-words.ts'
import type { OpenMessage } from '../../inbox/read-message.ts'

/** The files of a message, to be kept; none of them is ever opened here. */
export function attachmentList({ lovedOne, message }: OpenMessage): Html | undefined {
  const { attachments } = message
  if (attachments.length === 0) return undefined
  return html`<section class="attachments" aria-labelledby="attachments">
<h2 id="attachments">${attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`}</h2>
<ul>${attachments.map(
    ({ filename, contentType, size }, index) =>
      html`<li><a href="/inbox/${lovedOne.id}/${message.message.id}/files/${index}" download><bdi>${filename}</bdi></a> <span class="hint">${fileKind(contentType, filename)}, ${sizeWords(size)}</span></li>`,
  )}</ul>
</section>`
}
