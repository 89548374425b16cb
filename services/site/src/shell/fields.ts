import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Html, html } from './html.ts'

export type FieldErrors = Readonly<Record<string, string>>

type TextField = {
  name: string
  label: string
  hint?: string
  value?: string
  error?: string | undefined
  type?: 'text' | 'email' | 'date' | 'time' | 'password'
  /** The name in the form, if it is not the id. */
  sentAs?: string
  autocomplete?: string
  inputmode?: 'text' | 'email' | 'numeric'
  maxlength?: number
  look?: string
  autofocus?: boolean
  optional?: boolean
  suggestions?: readonly string[] | undefined
  /** Takes several addresses. */
  several?: 'several'
}

export function textField(field: TextField): Html {
  const { name, label, hint, error, type = 'text', look, suggestions, several } = field
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}${field.optional && html` <span class="optional">(optional)</span>`}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error && html`<p class="error" id="${name}-error"><span class="unseen">Error: </span>${error}</p>`}
<input id="${name}" name="${field.sentAs ?? name}" type="${type}" value="${field.value}"${look && html` class="${look}"`}${attributes(
    {
      autocomplete: field.autocomplete ?? (type === 'password' ? 'new-password' : 'off'),
      inputmode: field.inputmode,
      multiple: several,
      maxlength: field.maxlength,
      list: suggestions && `${name}-suggestions`,
      'aria-describedby': describedBy,
      'aria-invalid': error && 'true',
      spellcheck: type === 'email' && 'false',
      autocapitalize: type === 'email' && 'none',
    },
  )}${field.autofocus && !error && html` autofocus`}>
${suggestions && suggestionList(name, suggestions)}
</div>`
}

function suggestionList(name: string, suggestions: readonly string[]): Html {
  return html`<datalist id="${name}-suggestions">${suggestions.map((suggestion) => html`<option value="${suggestion}"></option>`)}</datalist>`
}

function attributes(values: Record<string, string | number | false | undefined>): Html[] {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== false && value !== '')
  return present.map(([name, value]) => html` ${name}="${value}"`)
}

/** Renders the error summary above a form. It takes the focus, so screen readers read it first. */
export function errorSummary(errors: FieldErrors): Html | undefined {
  const problems = Object.entries(errors)
  if (problems.length === 0) return undefined
  return html`<div class="problems" role="alert" aria-labelledby="problems" tabindex="-1" autofocus>
<h2 id="problems">There is a problem</h2>
<ul>${problems.map(([name, message]) => html`<li><a href="#${name}">${message}</a></li>`)}</ul>
</div>`
}

/** Turns INVALID_ARGUMENT into an error on a form field. `fieldOf` maps the service's names to the form's where they differ. */
export function toFieldErrors(
  error: unknown,
  words: Readonly<Record<string, string>>,
  fieldOf: Readonly<Record<string, string>> = {},
): FieldErrors {
  if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT') throw error
  const field = fieldOf[error.detail.field ?? ''] ?? error.detail.field ?? ''
  const message = words[field]
  if (message === undefined) throw error
  const { found } = error.detail
  return {
    [field]: found === undefined ? message : `Leave out “${found}”: links and email addresses aren’t allowed here`,
  }
}

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
