import { type Html, html } from '../html.ts'

export type TextArea = {
  name: string
  label: string
  hint?: string
  value?: string
  error?: string
  rows?: number
  /** The most characters it can be; browsers stop there. */
  maxlength?: number
  optional?: boolean
}

/** A question with several lines for the answer, put like one with one line. */
export function textArea({ name, label, hint, value, error, rows = 4, maxlength, optional }: TextArea): Html {
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}${optional && html` <span class="optional">(optional)</span>`}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error && html`<p class="error" id="${name}-error"><span class="unseen">Error: </span>${error}</p>`}
<textarea id="${name}" name="${name}" rows="${rows}"${maxlength && html` maxlength="${maxlength}"`}${
    describedBy && html` aria-describedby="${describedBy}"`
  }${error && html` aria-invalid="true"`}>
${value}</textarea>
</div>`
}
