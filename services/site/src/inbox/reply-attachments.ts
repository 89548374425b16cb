import type { ReplyAttachment, SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import { MAX_ATTACHMENTS_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import { type Html, html } from '../shell/html.ts'
import { fileFacts } from './file-words.ts'

/** Asks an iPhone for JPEG in place of HEIC. */
const ACCEPTED = 'image/jpeg,image/png,image/gif,image/webp,application/pdf'

type AttachmentField = {
  /** The address of the message. */
  path: string
  /** Where the form saves the draft. */
  draft: string
  files: ReplyAttachment[]
  error?: string | undefined
}

/** The files of the draft, and the input for more. attach.js sends them as they are chosen; without it, the form does. */
export function attachmentField({ path, draft, files, error }: AttachmentField): Html {
  const describedBy = error ? 'files-hint files-error' : 'files-hint'
  return html`<div class="field attach" data-path="${path}/attachments" data-most="${MAX_ATTACHMENTS_BYTES}">
${error && html`<p class="error" id="files-error"><span class="unseen">Error: </span>${error}</p>`}
<ul class="attached">${files.map((file) => attachedRow(file, draft))}</ul>
<div class="row"><span class="add-file"><input id="files" name="files" type="file" multiple accept="${ACCEPTED}" aria-describedby="${describedBy}"${error && html` aria-invalid="true"`}><label for="files" class="button second">Add a file</label></span> <p class="hint" id="files-hint">Pictures and PDFs, up to 20 MB together</p></div>
<p class="hint attach-status" role="status"></p>
</div>`
}

function attachedRow(file: ReplyAttachment, draft: string): Html {
  return html`<li data-size="${file.size}"><input type="hidden" name="file" value="${file.id}"><span class="attached-name"><bdi>${file.filename}</bdi> <span class="hint">${fileFacts(file)}</span></span>
<button class="quiet" name="remove" value="${file.id}" formaction="${draft}">Remove<span class="unseen"> ${file.filename}</span></button></li>`
}

export function sentFiles({ id, attachments }: SentReply, path: string): Html | undefined {
  if (!attachments?.files.length) return undefined
  return html`<ul class="files">${attachments.files.map(
    (file, index) =>
      html`<li><div><a href="${path}/replies/${id}/${index}" download><bdi>${file.filename}</bdi></a> <span class="hint">${fileFacts(file)}</span></div></li>`,
  )}</ul>`
}
