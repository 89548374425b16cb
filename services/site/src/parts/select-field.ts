import { type Html, html } from '../html.ts'

export type SelectField = {
  name: string
  label: string
  hint?: string
  error?: string
  options: readonly { value: string; label: string }[]
  /** The value that is chosen now. */
  value: string
}

/** A question with one answer of a list that is too long, or too plain, to be shown whole. */
export function selectField({ name, label, hint, error, options, value }: SelectField): Html {
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error && html`<p class="error" id="${name}-error"><span class="unseen">Error: </span>${error}</p>`}
<select id="${name}" name="${name}"${describedBy !== '' && html` aria-describedby="${describedBy}"`}${error && html` aria-invalid="true"`}>
${options.map((option) => html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`)}
</select>
</div>`
}
