import { html, type MailCase, mail, multipart, multipartMail, part, text } from './build-mail.ts'

export const LETTER =
  '<html><body><table><tr><td><h2>Riverside Cardiology</h2><p>Dear Ms. Almeida,</p><p>Your INR of this morning is 3.4, above the range of 2.0 to 3.0.</p><p><b>Do not take warfarin tonight; the next dose is 2.5 mg on Friday at 8 in the evening.</b></p><p>Next blood test: Monday at 8:15, Riverside Clinic, 2nd floor. Bring the yellow card. Call 555-0100 when you bleed.</p></td></tr></table></body></html>'

const RENDERED = `Riverside Cardiology

Dear Ms. Almeida,

Your INR of this morning is 3.4, above the range of 2.0 to 3.0.

Do not take warfarin tonight; the next dose is 2.5 mg on Friday at 8 in the evening.

Next blood test: Monday at 8:15, Riverside Clinic, 2nd floor. Bring the yellow card. Call 555-0100 when you bleed.`

const SUBJECT = 'Your blood test'
const PICTURE = part({ 'Content-Type': 'image/png; name=logo.png', 'Content-ID': '<logo@1>' }, 'not a real picture')

const wordings = [
  'Please view in HTML',
  'This is an HTML message.',
  'Please enable HTML to view this message.',
  'To view this email as a web page, go here.',
  '-',
  SUBJECT,
  'Bitte aktivieren Sie die HTML-Ansicht, um diese Nachricht zu lesen.',
  'Este mensaje está en formato HTML.',
  '此邮件为HTML格式。',
]

const inside = multipart('mixed', [html(LETTER), text('--\nSent from my iPhone')], 'inside')
const related = multipart('related', [html(LETTER), PICTURE], 'related')
const forwarded = multipart('alternative', [text('HTML version'), html(LETTER)], 'forwarded')

/** A plain part that says nothing, beside a letter in HTML. */
export const placeholders: MailCase[] = [
  ...wordings.map(
    (wording): MailCase => ({
      name: `a letter beside “${wording}”`,
      raw: multipartMail({ Subject: SUBJECT }, 'alternative', [text(wording), html(LETTER)]),
      expect: { subject: SUBJECT, body: RENDERED, attachments: [], category: 'medication' },
    }),
  ),
  {
    name: 'a letter with pictures beside a placeholder',
    raw: multipartMail({ Subject: SUBJECT }, 'alternative', [
      text('HTML version'),
      part({ 'Content-Type': related.type }, related.body),
    ]),
    expect: { body: RENDERED, attachmentCount: 1 },
  },
  {
    name: 'a letter with a signature beside a placeholder',
    raw: multipartMail({ Subject: SUBJECT }, 'alternative', [
      text('Sent from my iPhone'),
      part({ 'Content-Type': inside.type }, inside.body),
    ]),
    expect: { body: `${RENDERED}\n\n--\nSent from my iPhone` },
  },
  {
    name: 'a placeholder and a letter one after the other',
    raw: multipartMail({ Subject: SUBJECT }, 'mixed', [text('HTML version'), html(LETTER)]),
    expect: { body: `HTML version\n\n${RENDERED}` },
  },
  {
    name: 'a forwarded message with a placeholder',
    raw: multipartMail({ Subject: 'Fwd: Your blood test' }, 'mixed', [
      text('See below.'),
      part({ 'Content-Type': 'message/rfc822' }, mail({ 'Content-Type': forwarded.type }, forwarded.body)),
    ]),
    expect: { bodyIncludes: ['See below.', RENDERED], bodyExcludes: ['HTML version'] },
  },
  {
    name: 'of two renditions in HTML, the last',
    raw: multipartMail({ Subject: SUBJECT }, 'alternative', [
      text('HTML version'),
      html('<p>Take 5 mg of warfarin at 7:00.</p>'),
      html(LETTER),
    ]),
    expect: { body: RENDERED },
  },
  {
    name: 'a plain part beside HTML that hides another letter',
    raw: multipartMail({ Subject: SUBJECT }, 'alternative', [
      text('Your visit is on 3 May.'),
      html(`<p>Your visit is on 3 May.</p><div style="display:none">${LETTER}</div>`),
    ]),
    expect: { body: 'Your visit is on 3 May.' },
  },
]
