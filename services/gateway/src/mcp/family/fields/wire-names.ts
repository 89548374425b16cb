import { MemberStatus, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { Category, ConversationStatus, type Mailbox, MessageField } from '@family-inbox/proto/inbox/v1/inbox'
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

/** The family’s status of a conversation. */
export const conversationStatusName = {
  [ConversationStatus.OPEN]: 'open',
  [ConversationStatus.TAKEN]: 'taken',
  [ConversationStatus.DONE]: 'done',
  [ConversationStatus.NOT_NEEDED]: 'not_needed',
  [ConversationStatus.UNSPECIFIED]: 'open',
  [ConversationStatus.UNRECOGNIZED]: 'open',
} as const satisfies Record<ConversationStatus, string>

/** Where a searched word is, as the results call it. */
export const fieldName = {
  [MessageField.SUBJECT]: 'subject',
  [MessageField.SENDER]: 'sender',
  [MessageField.ORIGINAL_SENDER]: 'originalSender',
  [MessageField.ATTACHMENT]: 'attachment',
  [MessageField.BODY]: 'body',
  [MessageField.REPLIED_BY]: 'repliedBy',
  [MessageField.RECIPIENT]: 'recipient',
  [MessageField.UNSPECIFIED]: 'body',
  [MessageField.UNRECOGNIZED]: 'body',
} as const satisfies Record<MessageField, string>

/** By their names; of several with one, the first. */
export const categoryOf = byName<Category>(categoryName)
export const conversationStatusOf = byName<ConversationStatus>(conversationStatusName)

function byName<Value extends string>(names: Record<Value, string>): Record<string, Value> {
  const found: Record<string, Value> = {}
  for (const [value, name] of Object.entries(names) as [Value, string][]) found[name] ??= value
  return found
}

export function formatMailbox(mailbox: Mailbox = { name: '', address: '' }): string {
  const { address } = mailbox
  const name = nameOfSender(mailbox)
  if (name === '') return address
  return address === '' ? name : `${name} <${address}>`
}
