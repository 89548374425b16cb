import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { MAX_COPIES } from '@family-inbox/workspace-kit/reply-copies'
import { type FieldErrors, textField } from '../shell/fields.ts'
import { type Html, html } from '../shell/html.ts'
import type { Visit } from '../shell/visit.ts'

const MAX_TYPED = 2000

type CopyField = { value: string; error: string | undefined; known?: readonly string[] }

/** Who else gets a mail. */
export function copyField({ value, error, known }: CopyField): Html {
  return textField({
    name: 'cc',
    label: 'Cc',
    optional: true,
    hint: `Who else gets it: up to ${MAX_COPIES} from your address book, with commas between them. Everyone sees who gets it.`,
    type: 'email',
    several: 'several',
    suggestions: known,
    value,
    error,
    maxlength: MAX_TYPED,
  })
}

/** Folded until it is needed, since most replies go to one person. */
export function foldedCopyField(field: CopyField): Html {
  const isOpen = field.value !== '' || field.error !== undefined
  return html`<details class="linked"${isOpen && html` open`}><summary>Cc</summary>${copyField(field)}</details>`
}

/** As it was typed. */
export function readCc(visit: Visit): string {
  return visit.field('cc').slice(0, MAX_TYPED)
}

export function toCopies(cc: string): { cc?: { addresses: string[] } } {
  const addresses = cc.split(/[\s,;]+/).filter((address) => address !== '')
  return addresses.length === 0 ? {} : { cc: { addresses } }
}

/** Names the address that may not get it. Undefined for an error of another field. */
export function explainCopies(error: unknown): FieldErrors | undefined {
  if (!(error instanceof StatusError) || error.status !== 'INVALID_ARGUMENT' || error.detail.field !== 'cc')
    return undefined
  return { cc: `${error.message} Nothing was sent.` }
}
