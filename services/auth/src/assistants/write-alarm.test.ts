import { Outcome } from '@family-inbox/proto/auth/v1/auth'
import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import { type Alarm, alarmMail } from './write-alarm.ts'

const luis = { personId: 'per_luis', name: 'Luis', email: 'luis@almeida.example' } as MailRecipient
const ana = { personId: 'per_ana', name: 'Ana', email: 'ana@almeida.example' } as MailRecipient
const alarm: Alarm = {
  kind: 'first_write',
  dueAt: new Date('2026-05-12T12:00:00Z'),
  credentialId: 'key_1',
  workspaceId: 'wsp_1',
  workspaceName: 'The Almeida family',
  person: luis,
  assistant: 'Claude Code',
  path: '/settings/tool-keys/key_1',
  firstWrite: { tool: 'reply_to_inbox_message', outcome: Outcome.APPROVAL_ASKED },
}
const mailTo = (recipient: MailRecipient, changes: Partial<Alarm> = {}) =>
  alarmMail('https://inbox.example', { ...alarm, ...changes }, recipient)

test('its person is sent to the page that pauses it, the owner to the one that pauses all', (t) => {
  t.is(mailTo(luis).actionUrl, 'https://inbox.example/settings/tool-keys/key_1')
  t.is(mailTo(ana).actionUrl, 'https://inbox.example/settings/assistants')
  t.regex(
    mailTo(luis).text,
    /^“Claude Code”, your assistant in The Almeida family, wrote for the first time: it proposed a reply\./,
  )
  t.regex(mailTo(ana).text, /^“Claude Code”, the assistant of Luis in/)
})

test('a retry is the same mail, and each alarm and recipient has its own', (t) => {
  t.is(mailTo(luis).id, mailTo(luis).id)
  const ids = [mailTo(luis), mailTo(ana), mailTo(luis, { kind: 'burst' }), mailTo(luis, { dueAt: new Date() })]
  t.is(new Set(ids.map(({ id }) => id)).size, ids.length)
})

test('an app cannot put a link or a second line into the mail with its name', (t) => {
  const { subject, text } = mailTo(luis, { assistant: 'Call us:\r\nhttps://evil.example <now>' })
  t.false(/[\r\n]/.test(subject))
  t.false(text.includes('evil.example'))
  t.is(mailTo(luis, { assistant: ' ' }).subject, 'An assistant wrote for the first time')
})
