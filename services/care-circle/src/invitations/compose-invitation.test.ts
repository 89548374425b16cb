import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import type { Invitation } from '../models/invitation.ts'
import { composeInvitation } from './compose-invitation.ts'

const invitation: Invitation = {
  _id: 'inv_1',
  workspaceId: 'ws_1',
  email: 'zoe@example.org',
  role: Role.COORDINATOR,
  relationship: '',
  message: 'We miss you.',
  invitedBy: 'per_1',
  state: 'pending',
  sendNumber: 2,
  tokenHash: '',
  createdAt: new Date('2026-05-01T10:00:00Z'),
  expiresAt: new Date('2026-05-15T10:00:00Z'),
}

const words = { token: 'secret', inviterName: 'Ana', workspaceName: 'Mum’s care', inboxUrl: 'https://inbox.example' }

test('the mail says who invites, to which family, what the person may do, until when and how to join', (t) => {
  const mail = composeInvitation({ ...words, invitation })
  t.is(mail.subject, 'Ana invites you to Mum’s care')
  t.is(mail.fromName, 'Ana via Family Care Inbox')
  t.is(mail.actionUrl, 'https://inbox.example/invitation/secret')
  t.is(
    mail.text,
    [
      'Ana invites you to Mum’s care: one shared inbox for mail about someone you care for.',
      'You can read and reply.',
      'Ana writes:',
      '> We miss you.',
      'To join, open the invitation and sign in with the email address it was sent to. It works once, only for you, until 15 May 2026.',
      'The person who sent this invitation chose the names in it. We have not checked them. If you weren’t expecting this, you can ignore it.',
    ].join('\n\n'),
  )
})

test('a viewer’s mail says they can read, and no message means no quote', (t) => {
  const { text } = composeInvitation({ ...words, invitation: { ...invitation, role: Role.VIEWER, message: '' } })
  t.regex(text, /\n\nYou can read\.\n\nTo join/)
})

test('each mail of an invitation has its own stable id', (t) => {
  t.is(composeInvitation({ ...words, invitation }).id, 'inv_1-2')
  t.is(composeInvitation({ ...words, invitation: { ...invitation, sendNumber: 3 } }).id, 'inv_1-3')
})

test('names that cannot appear in a mail get a neutral replacement', (t) => {
  const mail = composeInvitation({ ...words, inviterName: '<@>', workspaceName: '"', invitation })
  t.is(mail.subject, 'A family member invites you to a family')
})
