import { MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { Category, type Mailbox } from '@family-inbox/proto/inbox/v1/inbox'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'

export const roleName = {
  [Role.OWNER]: 'owner',
  [Role.COORDINATOR]: 'coordinator',
  [Role.VIEWER]: 'viewer',
  [Role.UNSPECIFIED]: 'viewer',
  [Role.UNRECOGNIZED]: 'viewer',
} as const satisfies Record<Role, string>

export const statusName = {
  [MemberStatus.ACTIVE]: 'active',
  [MemberStatus.INVITED]: 'invited',
  [MemberStatus.UNSPECIFIED]: 'invited',
  [MemberStatus.UNRECOGNIZED]: 'invited',
} as const satisfies Record<MemberStatus, string>

export const categoryName = {
  [Category.APPOINTMENT]: 'appointment',
  [Category.RESULTS]: 'results',
  [Category.MEDICATION]: 'medication',
  [Category.BILLING]: 'billing',
  [Category.INSURANCE]: 'insurance',
  [Category.CARE_PLAN]: 'care_plan',
  [Category.AUTOMATED]: 'automated',
  [Category.OTHER]: 'other',
  [Category.UNSPECIFIED]: 'other',
  [Category.UNRECOGNIZED]: 'other',
} as const satisfies Record<Category, string>

export function formatMailbox(mailbox: Mailbox = { name: '', address: '' }): string {
  const { address } = mailbox
  const name = nameOfSender(mailbox)
  if (name === '') return address
  return address === '' ? name : `${name} <${address}>`
}
