import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { Appointment } from '../models/appointment.ts'
import type { Member } from '../models/member.ts'

/** Who gets mail about an appointment. Without a name of the loved one, nobody does: the family is a sandbox, or its mail is stopped. */
export async function findRecipients(
  ctx: Context,
  { workspaceId, lovedOneId }: Appointment,
  filter: Record<string, unknown>,
): Promise<{ members: Member[]; lovedOneName: string | undefined }> {
  const [members, workspace, lovedOne] = await Promise.all([
    ctx.members.find({ ...filter, workspaceId }).lean(),
    ctx.workspaces.findById(workspaceId, { sandbox: 1, mailStoppedAt: 1 }).lean(),
    ctx.lovedOnes.findById(lovedOneId, { name: 1 }).lean(),
  ])
  const isMailed = workspace !== null && !workspace.sandbox && !workspace.mailStoppedAt
  return { members, lovedOneName: isMailed ? lovedOne?.name : undefined }
}

type Words = Pick<OutgoingMail, 'subject' | 'text' | 'actionLabel'>
/** What makes the mail the same when the work is repeated. */
type Identity = { prefix: string; parts: (string | number)[] }

/** @param key of the occurrence that its button opens; empty for none of a series */
export function memberMail(
  { _id, workspaceId }: Appointment,
  { email, name }: Member,
  { identity, key, words, inboxUrl }: { identity: Identity; key: string; words: Words; inboxUrl: string },
) {
  return {
    id: deriveMailId(identity.prefix, identity.parts),
    kind: MailKind.APPOINTMENT,
    workspaceId,
    ...fromService({ email, name }),
    ...words,
    actionUrl: `${inboxUrl}/appointments/${_id}${key && `?occurrence=${key}`}`,
  } satisfies OutgoingMail
}
