import { base64, html, type MailCase, mail, multipartMail, part, quotedPrintable, text } from './build-mail.ts'

const TEXT = 'Dear Ms Santos,\n\nyour visit is on 3 May at 10:30: https://clinic.example/v?id=12&day=03'
const ACCENTS = 'Olá família,\na consulta é na terça-feira às 10h30 no Porto.'

/** Content-Transfer-Encoding values seen in the wild. */
const NO_ENCODINGS = ['7-bit', 'plain', 'text/html', 'spam', 'with 8 bits', 'X-UNKNOWN', '8 bit', 'utf-8']

export const brokenEncodings: MailCase[] = [
  ...NO_ENCODINGS.map((encoding) => ({
    name: `text in the unknown encoding “${encoding}”`,
    raw: mail({ 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': encoding }, TEXT),
    expect: { body: TEXT, attachments: [] },
  })),
  {
    name: '8-bit text in an unknown encoding',
    raw: mail({ 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': 'utf8' }, ACCENTS),
    expect: { body: ACCENTS, attachments: [] },
  },
  ...['base 64', 'text/plain', 'x-base64'].map((encoding) => ({
    name: `base64 declared as “${encoding}”`,
    raw: mail({ 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': encoding }, base64(ACCENTS)),
    expect: { body: ACCENTS, attachments: [] },
  })),
  ...['quoted printable', 'quotedprintable', 'text/html'].map((encoding) => ({
    name: `quoted-printable declared as “${encoding}”`,
    raw: mail(
      { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': encoding },
      quotedPrintable(ACCENTS),
    ),
    expect: { body: ACCENTS, attachments: [] },
  })),
  {
    name: 'a base64 file declared as something else',
    raw: multipartMail({}, 'mixed', [
      text('See the file.'),
      part(
        {
          'Content-Type': 'application/pdf; name="plan.pdf"',
          'Content-Disposition': 'attachment; filename="plan.pdf"',
          'Content-Transfer-Encoding': 'attachment',
        },
        base64(Buffer.alloc(600, 'plan ')),
      ),
    ]),
    expect: {
      body: 'See the file.',
      attachments: [{ filename: 'plan.pdf', contentType: 'application/pdf', size: 600 }],
    },
  },
  ...[
    'Your mail program does not support HTML.',
    'Your browser doesn’t support HTML e-mail.',
    'To view this message, please use an HTML compatible email viewer!',
    'This is an HTML message. HTML is not supported by your client.',
    'Ihr E-Mail-Programm kann leider kein HTML darstellen.',
    'View this email in your browser: https://news.clinic.example/1',
    'Your message: https://clinic.example/m/8f3c',
  ].map((excuse) => ({
    name: `a plain part that only says “${excuse.slice(0, 40)}”`,
    raw: multipartMail({}, 'alternative', [text(excuse), html('<p>Your visit is on <b>3 May</b>.</p>')]),
    expect: { body: 'Your visit is on 3 May.' },
  })),
  {
    name: 'a placeholder without other content is shown',
    raw: multipartMail({}, 'alternative', [text('Your mail program does not support HTML.'), html('<p> </p>')]),
    expect: { body: 'Your mail program does not support HTML.' },
  },
  {
    name: 'a plain part with real content is preferred',
    raw: multipartMail({}, 'alternative', [
      text(`${TEXT}\n\nIf you cannot read HTML, this is all.${' More.'.repeat(90)}`),
      html('<p>No</p>'),
    ]),
    expect: { bodyIncludes: ['your visit is on 3 May'], bodyExcludes: ['No\n'] },
  },
]
