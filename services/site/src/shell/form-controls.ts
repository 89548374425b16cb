import { type Html, html } from './html.ts'

type RadioField = {
  name: string
  legend: string
  options: { value: string; label: string | Html; hint?: string }[]
  value: string
  error?: string
}

/** Renders radio buttons. The first one's id is the field name, so the error summary links to it. */
export function radioField({ name, legend, options, value, error }: RadioField): Html {
  return html`<fieldset class="radios"${error && html` aria-describedby="${name}-error"`}>
<legend>${legend}</legend>
${error && html`<p class="error" id="${name}-error"><span class="unseen">Error: </span>${error}</p>`}
${options.map((option, index) => {
  const id = index === 0 ? name : `${name}-${index}`
  return html`<label class="tick" for="${id}"><input type="radio" id="${id}" name="${name}" value="${option.value}"${
    option.value === value && html` checked`
  }> <span>${option.label}${option.hint && html`<span class="hint">${option.hint}</span>`}</span></label>`
})}
</fieldset>`
}

type SelectField = {
  name: string
  label: string
  hint?: string
  error?: string
  options: readonly { value: string; label: string }[]
  value: string
}

/** Renders a labeled select. */
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

type TextArea = {
  name: string
  label: string
  hint?: string
  value?: string
  error?: string
  rows?: number
  maxlength?: number
  optional?: boolean
}

/** Renders a labeled text area. */
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
