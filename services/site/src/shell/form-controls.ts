import { type Html, html } from './html.ts'

type RadioField = {
  name: string
  legend: string
  options: { value: string; label: string | Html; hint?: string }[]
  value: string
  error?: string
}

/** A question with a few answers to choose from. The first answer has the field's name as its id, so that errors lead there. */
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

type TextArea = {
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
