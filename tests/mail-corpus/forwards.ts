import { html, type MailCase, mail, multipart, multipartMail, part, text } from './build-mail.ts'

const DOCTOR = 'dr.weber@hospital.example'
const PARTS = multipart('mixed', [
  text('Take one tablet a day.'),
  part({ 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment; filename=plan.pdf' }, 'pdf bytes'),
])
const ORIGINAL = part(
  {
    From: `"Dr. Weber" <${DOCTOR}>`,
    To: 'anna@family.example',
    Subject: 'Your prescription',
    Date: 'Mon, 04 Aug 2025 10:00:00 +0000',
    'Content-Type': PARTS.type,
  },
  PARTS.body,
)
const ANNA = 'Anna Smith <anna@family.example>'
const FORWARD_BODY = `FYI

---------- Forwarded message ----------
From: Dr. Weber <${DOCTOR}>
Date: Mon, 04 Aug 2025 10:00:00 GMT
Subject: Your prescription
To: anna@family.example

Take one tablet a day.`

const GMAIL_CODE_TEXT = `grandma@gmail.com has requested to automatically forward mail to your email
address inbox@family-inbox.test.
Confirmation code: 483920175

To allow it, please click the link below to confirm the request:

https://mail-settings.google.com/mail/vf-%5BANGjdJ8%5D-kYc1

If you do not want this: https://support.google.com/mail/answer/184973
`
const GMAIL_LINK = 'https://mail-settings.google.com/mail/vf-%5BANGjdJ8%5D-kYc1'

export const forwards: MailCase[] = [
  {
    name: 'nested message/rfc822 forward',
    raw: multipartMail({ From: ANNA, Subject: 'Fwd: Your prescription' }, 'mixed', [
      text('FYI'),
      part({ 'Content-Type': 'message/rfc822' }, ORIGINAL),
    ]),
    expect: {
      body: FORWARD_BODY,
      attachments: [
        { filename: 'Your prescription.eml', contentType: 'message/rfc822' },
        { filename: 'plan.pdf', contentType: 'application/pdf', size: 9 },
      ],
      originalSender: DOCTOR,
      category: 'medication',
    },
  },
  {
    name: 'nested message/rfc822 forward in base64',
    raw: multipartMail({ From: ANNA }, 'mixed', [
      text('FYI'),
      part(
        {
          'Content-Type': 'message/rfc822',
          'Content-Disposition': 'attachment; filename="original.eml"',
          'Content-Transfer-Encoding': 'base64',
        },
        ORIGINAL.toString('base64'),
      ),
    ]),
    expect: {
      body: FORWARD_BODY,
      attachments: [
        { filename: 'original.eml', contentType: 'message/rfc822', size: ORIGINAL.length },
        { filename: 'plan.pdf', contentType: 'application/pdf' },
      ],
      originalSender: DOCTOR,
    },
  },
  quoted(
    'Gmail',
    'Fwd: Results',
    `---------- Forwarded message ---------\nFrom: Dr. Weber <${DOCTOR}>\nDate: Mon, 4 Aug\nSubject: Results`,
  ),
  quoted(
    'Apple Mail',
    'Fwd: Results',
    `Begin forwarded message:\n\nFrom: "Dr. Weber" <${DOCTOR}>\nSubject: Results\nDate: 4 August`,
  ),
  quoted(
    'Outlook',
    'FW: Results',
    `________________________________\nFrom: Dr. Weber <${DOCTOR}>\nSent: Monday, August 4\nTo: Anna\nSubject: Results`,
  ),
  quoted(
    'old Outlook',
    'Results',
    `-----Original Message-----\nFrom: Dr. Weber [mailto:${DOCTOR}]\nSent: Monday, August 4\nTo: Anna`,
  ),
  quoted(
    'Outlook without a rule',
    'FW: Results',
    `From: Dr. Weber <${DOCTOR}>\nSent: Monday, August 4\nTo: Anna\nSubject: Results`,
  ),
  quoted(
    'Thunderbird',
    'Fwd: Results',
    `-------- Forwarded Message --------\nSubject: Results\nDate: Mon, 4 Aug\nFrom: Dr. Weber <${DOCTOR}>\nTo: Anna`,
  ),
  quoted(
    'German Gmail',
    'WG: Befund',
    `---------- Weitergeleitete Nachricht ---------\nVon: Dr. Weber <${DOCTOR}>\nDatum: 4. August`,
  ),
  quoted(
    'French Apple Mail',
    'TR : Résultats',
    `Début du message transféré :\n\nDe: Dr. Weber <${DOCTOR}>\nObjet: Résultats`,
  ),
  {
    name: 'forward quoted in HTML',
    raw: multipartMail({ From: ANNA, Subject: 'Fwd: Results' }, 'alternative', [
      html(
        `<div>FYI<br><div class="gmail_quote">---------- Forwarded message ---------<br>From: <b>Dr. Weber</b> <span>&lt;<a href="mailto:${DOCTOR}">${DOCTOR}</a>&gt;</span><br>Date: Mon</div></div>`,
      ),
    ]),
    expect: { originalSender: DOCTOR, bodyExcludes: ['<b>', '<a', '<span'] },
  },
  {
    name: 'a reply that quotes the original is not a forward',
    raw: mail(
      { From: ANNA, Subject: 'Re: Results' },
      `Thanks!\n\nFrom: Dr. Weber <${DOCTOR}>\nSent: Monday\nTo: Anna\n\nHello`,
    ),
    expect: { originalSender: null },
  },
  {
    name: 'a reply that quotes a forward marker is not a forward',
    raw: mail(
      { From: ANNA, Subject: 'Re: Fwd: Results' },
      `Thanks!\n\n> ---------- Forwarded message ---------\n> From: Dr. Weber <${DOCTOR}>\n`,
    ),
    expect: { originalSender: null },
  },
  {
    name: 'a web form with fields like a forward’s header',
    raw: mail({ 'X-Forwarded-For': '192.0.2.7' }, 'Hi'),
    expect: { originalSender: null },
  },
  {
    name: 'resent unchanged by automatic forwarding',
    raw: mail(
      { From: DOCTOR, 'X-Forwarded-For': 'anna@gmail.com inbox@family-inbox.test', 'Resent-From': 'anna@gmail.com' },
      'Hi',
    ),
    expect: { originalSender: DOCTOR, from: DOCTOR },
  },
  {
    name: 'Gmail forwarding confirmation',
    raw: mail(
      {
        From: 'Gmail Team <forwarding-noreply@google.com>',
        Subject: '(#483920175) Gmail Forwarding Confirmation - Receive Mail from grandma@gmail.com',
        'Auto-Submitted': 'auto-generated',
      },
      GMAIL_CODE_TEXT,
    ),
    expect: { confirmation: { provider: 'gmail', code: '483920175', link: GMAIL_LINK }, automated: true },
  },
  {
    name: 'Gmail forwarding confirmation without the code in its subject',
    raw: mail({ From: 'forwarding-noreply@google.com', Subject: 'Gmail Forwarding Confirmation' }, GMAIL_CODE_TEXT),
    expect: { confirmation: { provider: 'gmail', code: '483920175', link: GMAIL_LINK } },
  },
  lookalike('domain', 'Gmail Team <forwarding-noreply@google.com.evil.example>'),
  lookalike('display name', '"forwarding-noreply@google.com" <x@evil.example>'),
  lookalike('subdomain', 'forwarding-noreply@mail.google.com'),
  lookalike('local part', 'forwarding-noreply+x@google.com'),
  {
    name: 'forwarding confirmation with a foreign link shows only the code',
    raw: mail(
      { From: 'forwarding-noreply@google.com', Subject: '(#483920175) Gmail Forwarding Confirmation' },
      'Click https://mail.google.com.evil.example/mail/vf-1 or https://mail.google.com@evil.example/',
    ),
    expect: { confirmation: { provider: 'gmail', code: '483920175' } },
  },
  {
    name: 'newsletter',
    raw: mail({ Subject: 'Our August news', 'List-Id': '<news.clinic.example>' }, 'We have a new garden.'),
    expect: { automated: true, category: 'automated' },
  },
  {
    name: 'out-of-office reply',
    raw: mail({ Subject: 'Out of office', 'Auto-Submitted': 'auto-replied' }, 'I am away until Monday.'),
    expect: { automated: true, category: 'automated', originalSender: null },
  },
  {
    name: 'automated appointment reminder is an appointment',
    raw: mail(
      { Subject: 'Appointment reminder', 'Auto-Submitted': 'auto-generated' },
      'Your appointment is on Tuesday.',
    ),
    expect: { automated: true, category: 'appointment' },
  },
  {
    name: 'bounce',
    raw: multipartMail({ Subject: 'Undelivered Mail Returned to Sender', 'Return-Path': '<>' }, 'report', [
      text('Your mail could not be delivered.'),
      part({ 'Content-Type': 'message/delivery-status' }, 'Action: failed'),
      part({ 'Content-Type': 'message/rfc822' }, ORIGINAL),
    ]),
    expect: {
      body: 'Your mail could not be delivered.',
      automated: true,
      category: 'automated',
      originalSender: null,
      attachmentCount: 3,
    },
  },
]

function quoted(program: string, subject: string, block: string): MailCase {
  const raw = mail({ From: ANNA, Subject: subject }, `FYI\n\n${block}\n\nThe values are fine.\n`)
  return { name: `forward quoted by ${program}`, raw, expect: { originalSender: DOCTOR, from: 'anna@family.example' } }
}

function lookalike(kind: string, from: string): MailCase {
  const raw = mail({ From: from, Subject: '(#483920175) Gmail Forwarding Confirmation' }, GMAIL_CODE_TEXT)
  return { name: `forwarding confirmation from a lookalike ${kind}`, raw, expect: { confirmation: null } }
}
