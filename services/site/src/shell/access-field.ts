import { Access } from '@family-inbox/proto/auth/v1/auth'
import { type Html, html } from './html.ts'

const CHOICES: { access: Access; value: string; label: string; hint: string }[] = [
  { access: Access.READ, value: 'read', label: 'Read only', hint: 'It can’t send or change anything.' },
  {
    access: Access.APPROVAL,
    value: 'approval',
    label: 'Write, with approval',
    hint: 'What it writes waits until you or another family member sends it.',
  },
  { access: Access.WRITE, value: 'write', label: 'Write', hint: 'What it writes is sent at once, in your name.' },
]

type AccessField = { legend: string; access: Access; id?: string }

/** What an assistant may do. The first choice's id is that of the field, so an error summary leads to it. */
export function accessField({ legend, access, id = 'access' }: AccessField): Html {
  return html`<fieldset class="radios">
<legend>${legend}</legend>
${CHOICES.map((choice, index) => {
  const ownId = index === 0 ? id : `${id}-${index}`
  return html`<label class="tick" for="${ownId}"><input type="radio" id="${ownId}" name="access" value="${choice.value}"${choice.access === access && html` checked`}> <span>${choice.label}<span class="hint">${choice.hint}</span></span></label>`
})}
</fieldset>`
}

/** Undefined unless the form has a known choice. */
export function readAccess(value: string): Access | undefined {
  return CHOICES.find((choice) => choice.value === value)?.access
}

export function accessWords(access: Access | undefined): string {
  return CHOICES.find((choice) => choice.access === access)?.label ?? 'Write'
}
