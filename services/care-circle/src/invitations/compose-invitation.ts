import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { toMailName } from '@family-inbox/workspace-kit/mail-name'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import type { Invitation } from '../models/invitation.ts'

type InvitationWords = {
  invitation: Invitation
  token: string
  inviterName: string
  workspaceName: string
  inboxUrl: string
}

/** The same invitation and send number give the same mail id. */
export function composeInvitation({ invitation, token, inviterName, workspaceName, inboxUrl }: InvitationWords) {
  const { workspaceId, email, role, message, expiresAt } = invitation
  const inviter = toMailName(inviterName) || 'A family member'
  const workspace = toMailName(workspaceName) || 'a family'
  const paragraphs = [
    `${inviter} invites you to ${workspace}: one shared inbox for mail about someone you care for.`,
    `You ${whatTheyCanDo(role)}.`,
    ...(message === '' ? [] : [`${inviter} writes:`, `> ${message}`]),
    `To join, open the invitation and sign in with the email address it was sent to. It works once, only for you, until ${dayOf(expiresAt)}.`,
    'The person who sent this invitation chose the names in it. We have not checked them. If you weren’t expecting this, you can ignore it.',
  ]
  return {
    id: invitationMailId(invitation),
    kind: MailKind.INVITATION,
    workspaceId,
    toAddress: email,
    toName: '',
    fromName: `${inviter} via ${PRODUCT}`,
    replyTo: '',
    subject: `${inviter} invites you to ${workspace}`,
    text: paragraphs.join('\n\n'),
    actionLabel: 'Open invitation',
    actionUrl: `${inboxUrl}/invitation/${token}`,
    inReplyTo: '',
    references: [],
  } satisfies OutgoingMail
}

export function invitationMailId({ _id, sendNumber }: Pick<Invitation, '_id' | 'sendNumber'>): string {
  return `${_id}-${sendNumber}`
}

function whatTheyCanDo(role: Role): string {
  return role === Role.VIEWER ? 'can read' : 'can read and reply'
}

function dayOf(time: Date): string {
  return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
