import { Access } from '@family-inbox/proto/auth/v1/auth'
import { radioField } from './fields.ts'
import type { Html } from './html.ts'

const CHOICES: { access: Access; value: string; label: string; hint: string }[] = [
  { access: Access.READ, value: 'read', label: 'Read only', hint: 'It can’t send or change anything.' },
  {
    access: Access.APPROVAL,
    value: 'approval',
    label: 'Write, with approval',
    hint: 'What it writes waits until you or another family member sends it. Recommended.',
  },
  { access: Access.WRITE, value: 'write', label: 'Write', hint: 'What it writes is sent without asking.' },
]

export function accessField(access: Access): Html {
  const value = CHOICES.find((choice) => choice.access === access)?.value ?? 'read'
  return radioField({ name: 'access', legend: 'What may it do?', options: CHOICES, value })
}

/** Undefined unless the form has a known choice. */
export function readAccess(value: string): Access | undefined {
  return CHOICES.find((choice) => choice.value === value)?.access
}

export function accessWords(access: Access | undefined): string {
  return CHOICES.find((choice) => choice.access === access)?.label ?? 'Write'
}
