import type { OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { createTransport } from 'nodemailer'
import { outcomeOf } from '../_outcome.ts'
import { type Circle, invitationFor, joinCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

test.before(async (t) => {
  t.context = await joinCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

/** Hostile text for any field: tries to change what a mail says or does. */
const HOSTILE: Record<string, string> = {
  'CR LF and a header': 'Ana\r\nBcc: victim@example.org',
  'LF and a header': 'Ana\nBcc: victim@example.org',
  'CR alone': 'Ana\rBcc: victim@example.org',
  'CR LF CR LF and a body': 'Ana\r\n\r\nPay here',
  'CR LF at the end': 'Ana\r\n',
  'a folded header': 'Ana\r\n Bcc: victim@example.org',
  NUL: 'Ana\0Bcc',
  'a vertical tab': 'Ana\vBcc',
  'a next line character': 'Ana\u0085Bcc: victim@example.org',
  'a line separator': 'Ana\u2028Bcc: victim@example.org',
  'an SMTP end of data': 'Ana\r\n.\r\nMAIL FROM:<a@example.org>',
  'an encoded word in Q': '=?utf-8?q?Ana=0D=0ABcc:_victim=40example.org?=',
  'an encoded word in B': '=?utf-8?b?QW5hDQpCY2M6IHZpY3RpbUBleGFtcGxlLm9yZw==?=',
  'an address for a name': 'security@bank.example',
  'a name with an address': 'Bank <security@bank.example>',
  'a quoted name with an address': '"Bank" <security@bank.example>, "Ana"',
  'a second mailbox': 'Ana, security@bank.example',
  'a group': 'Undisclosed: a@example.org, b@example.org;',
  'a comment': 'Ana (care@family-inbox.test)',
  'a full-width at sign': 'security＠bank．example',
  'a small at sign': 'security﹫bank.example',
  'quotes and backslashes': '\\"Ana\\" \\',
  'a web address': 'Win at https://evil.example/now',
  'a bare domain': 'Visit evil.example today',
  'a bidi override': 'Ana \u202egro.elpmaxe@anA',
  'a zero-width space': 'Ana\u200bBcc',
  '1,000 characters': 'Ana '.repeat(250),
  '1,000 characters without a space': 'A'.repeat(1000),
  'one character made of 1,000': `A${'\u0301'.repeat(999)}`,
  '120 families': '👩‍👩‍👧‍👦'.repeat(120),
  HTML: '<img src=x onerror=alert(1)>',
  'only specials': '<@>()[]:;,"',
}

const GREEDY_ADDRESSES: Record<string, string> = {
  'a header after it': 'ana@example.org\r\nBcc: victim@example.org',
  'LF inside it': 'ana\n@example.org',
  'two addresses': 'ana@example.org, victim@example.org',
  'two addresses with a semicolon': 'ana@example.org;victim@example.org',
  'a name and an address': 'Ana <ana@example.org>',
  'angle brackets': '<ana@example.org>',
  'a quoted local part': '"ana"@example.org',
  'a quoted local part with an address': '"victim@example.org x"@internal.example',
  'a quoted local part with CR LF': '"ana\r\nBcc: x"@example.org',
  'an encoded word for a local part': '=?utf-8?q?victim=40example.org=3e?=@internal.example',
  'a source route': '@relay.example:ana@example.org',
  'a comment in it': 'ana(x)@example.org',
  'an address literal': 'ana@[127.0.0.1]',
  'a domain without a dot': 'ana@localhost',
  'a local part of 65': `${'a'.repeat(65)}@example.org`,
  '1,000 characters': `ana@${'example.'.repeat(124)}org`,
  'a NUL': 'ana\0@example.org',
  'a bidi override': 'ana\u202e@example.org',
  nothing: '',
}

type Field = 'workspace' | 'owner' | 'message' | 'relationship'

const FIELDS: Record<Field, string> = {
  workspace: 'the workspace name',
  owner: 'the inviter’s name',
  message: 'the inviter’s message',
  relationship: 'the relationship',
}

for (const [part, field] of Object.entries(FIELDS)) {
  test(`text in ${field} adds no header, address or link to the mail`, async (t) => {
    const { person, mailsTo, stack } = t.context
    const attempt = async ([name, hostile]: [string, string]) => {
      const { email } = await person()
      const outcome = await outcomeOf(inviteWith(t.context, part as Field, hostile, email))
      const [mail] = await mailsTo(email)
      if (outcome instanceof StatusError) {
        t.is(outcome.status, 'INVALID_ARGUMENT', name)
        t.not(outcome.detail.field ?? '', '', name)
        t.is(mail, undefined, name)
      } else t.deepEqual(await problemsOf(mail as OutgoingMail, email, stack.inboxUrl), [], name)
    }
    const attempts = Object.entries(HOSTILE)
    while (attempts.length > 0) await Promise.all(attempts.splice(0, 4).map(attempt))
  })
}

test('only a single plain address is mailed; others are refused', async (t) => {
  const { workspace, careCircle, mails } = t.context
  const { owner, workspaceId } = await workspace()
  const count = async () => (await mails()).filter((mail) => mail.workspaceId === workspaceId).length
  const before = await count()
  for (const [name, address] of Object.entries(GREEDY_ADDRESSES)) {
    const outcome = await outcomeOf(careCircle.inviteMember(invitationFor(address), { token: owner.token }))
    t.like(outcome, { status: 'INVALID_ARGUMENT', detail: { field: 'email' } }, name)
  }
  t.is(await count(), before)
})

test('an internationalized address is mailed in its composed form', async (t) => {
  const { workspace, careCircle, mailsTo, stack } = t.context
  const { owner } = await workspace()
  for (const [typed, stored] of [
    ['ANA@Bücher.example', 'ana@bücher.example'],
    ['rui@xn--bcher-kva.example', 'rui@bücher.example'],
    ['jose\u0301@example.org', 'josé@example.org'],
    ['ana+care@example.org', 'ana+care@example.org'],
    [' ana.o’neil@example.org', undefined],
    ["ana.o'neil@example.org ", "ana.o'neil@example.org"],
  ] as const) {
    const outcome = await outcomeOf(careCircle.inviteMember(invitationFor(typed), { token: owner.token }))
    if (outcome instanceof StatusError) t.like(outcome, { status: 'INVALID_ARGUMENT', detail: { field: 'email' } })
    else {
      const [mail] = await mailsTo(stored ?? typed.trim())
      t.truthy(mail, typed)
      t.deepEqual(await problemsOf(mail as OutgoingMail, stored ?? typed.trim(), stack.inboxUrl), [])
    }
  }
})

/** Creates a workspace and invites, with hostile text in one field. */
async function inviteWith({ person, careCircle }: Circle, part: Field, hostile: string, email: string) {
  const founder = await person()
  const words = { workspace: 'The Almeida family', owner: 'Ana', message: '', relationship: '', [part]: hostile }
  const { workspaceId } = await careCircle.createWorkspace(
    { name: words.workspace, ownerName: words.owner, relationship: '' },
    { token: founder.signedIn },
  )
  const { message, relationship } = words
  const token = await founder.keyIn(workspaceId)
  return careCircle.inviteMember(invitationFor(email, { message, relationship }), { token })
}

const SENDER = 'care@family-inbox.test'
const HEADERS = [
  'Content-Transfer-Encoding',
  'Content-Type',
  'Date',
  'From',
  'MIME-Version',
  'Message-ID',
  'Subject',
  'To',
]

/** Renders the mail as the sender does. @returns what is wrong with it */
async function problemsOf(mail: OutgoingMail, email: string, inboxUrl: string): Promise<string[]> {
  const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail({
    from: { name: mail.fromName, address: SENDER },
    to: { name: mail.toName, address: mail.toAddress },
    subject: mail.subject,
    text: mail.text,
  })
  const [head = ''] = message.toString().split('\r\n\r\n')
  const lines = head.split('\r\n')
  const headers = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
  const named = (name: string) => headers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
  const inHeaders = `${mail.fromName}${mail.subject}`
  const wrong = {
    [`headers ${headers.map((line) => line.split(':')[0])}`]:
      headers
        .map((line) => line.split(':')[0])
        .toSorted()
        .join() !== HEADERS.join(),
    'a header line over 998 bytes': lines.some((line) => Buffer.byteLength(line) > 998),
    [`From ${named('From')}`]: !/^[^<>@]*<care@family-inbox\.test>$/.test(named('From')),
    [`To ${named('To')}`]: named('To').replaceAll(/[<>]/g, '') !== toAscii(email),
    'a control, address or mail syntax in a name': /[\p{Cc}<>@＠﹫"\\,;:]|=\?/u.test(inHeaders),
    'a web address in a name': /\/|\.\p{L}{2}/u.test(inHeaders),
    [`From name ${mail.fromName}`]: !/^\S.* via Family Care Inbox$/.test(mail.fromName),
    [`a name of ${inHeaders.length}`]: mail.fromName.length > 150 || mail.subject.length > 300,
    'a reply address': mail.replyTo !== '',
    'another link': mail.actionUrl.match(/^(.*)\/invitation\/[0-9a-v]{52}$/)?.[1] !== inboxUrl,
    'a control character in the text': /[^\P{Cc}\n]/u.test(mail.text),
  }
  return Object.entries(wrong).flatMap(([problem, is]) => (is ? [problem] : []))
}

function toAscii(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  return `${local}@${new URL(`http://${domain}`).hostname}`
}
