import { type MailRecipient, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Context } from '../context.ts'

/** A member who may write, such as to take care of a message. Undefined for viewers, and for anyone outside the workspace. */
export async function findAssignable(
  { careCircle }: Pick<Context, 'careCircle'>,
  workspaceId: string,
  personId: string,
): Promise<MailRecipient | undefined> {
  const asked = { workspaceId, personIds: [personId], emails: [], owner: false }
  const { recipients } = await careCircle.listMailRecipients(asked)
  return recipients.find((recipient) => recipient.personId === personId && recipient.role !== Role.VIEWER)
}
