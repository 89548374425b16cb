import { type Html, html } from '../html.ts'

export type RadioField = {
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
