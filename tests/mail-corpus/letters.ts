import { attachment, crlf, html, type MailCase, mail, multipart, multipartMail, part, text } from './build-mail.ts'

const VISIT = 'The visit is on Friday at nine.'
const HEAD = 'From: Clinic <desk@clinic.example>\r\nSubject: Visit\r\nContent-Type: text/plain; charset=utf-8'
const bytes = (body: string) => Buffer.from(crlf(body))
const latin1 = (body: string) => Buffer.from(body, 'latin1')
const withBoundary = (type: string, body: string) => mail({ 'Content-Type': type }, body)

const inner = (boundary: string) =>
  `--${boundary}\nContent-Type: text/plain; charset=utf-8\n\n${VISIT}\n--${boundary}\nContent-Type: text/html\n\n<p>${VISIT}</p>\n--${boundary}--\n`

const types = ['alternative', 'report; report-type=disposition-notification', 'mixed', 'related']

const boundaries: MailCase[] = types.flatMap((type): MailCase[] => [
  {
    name: `multipart/${type} with another boundary`,
    raw: withBoundary(`multipart/${type}; boundary="=_one"`, `Preamble\n${inner('=_two')}`),
    expect: { bodyIncludes: [VISIT], bodyExcludes: ['=_two', 'Content-Type'], attachments: [] },
  },
  {
    name: `multipart/${type} without a boundary`,
    raw: withBoundary(`multipart/${type}`, inner('----=_Part_1.2')),
    expect: { bodyIncludes: [VISIT], bodyExcludes: ['_Part_', 'Content-Type'], attachments: [] },
  },
  {
    name: `multipart/${type} that is only text`,
    raw: withBoundary(`multipart/${type}; boundary=never`, VISIT),
    expect: { body: VISIT, attachments: [] },
  },
  {
    name: `multipart/${type} inside of another with its own boundary`,
    raw: multipartMail({}, 'mixed', [
      part({ 'Content-Type': `multipart/${type}; boundary=never` }, inner('appears')),
      attachment('a.pdf', 'application/pdf', Buffer.from('%PDF')),
    ]),
    expect: {
      bodyIncludes: [VISIT],
      bodyExcludes: ['appears'],
      attachments: [{ filename: 'a.pdf', contentType: 'application/pdf' }],
    },
  },
  {
    name: `multipart/${type} that does not end`,
    raw: withBoundary(`multipart/${type}; boundary=b`, `--b\nContent-Type: text/plain\n\n${VISIT}`),
    expect: { body: VISIT },
  },
])

const headers: MailCase[] = [
  ...[' ', '\t', '  \t '].map(
    (white): MailCase => ({
      name: `a header that ends with white space (${JSON.stringify(white)})`,
      raw: bytes(`${HEAD}\n${white}\n${VISIT}\n\nWard 4`),
      expect: { subject: 'Visit', body: `${VISIT}\n\nWard 4` },
    }),
  ),
  {
    name: 'a header that ends with white space above an indented text',
    raw: bytes(`${HEAD}\n \n  ${VISIT}\n\nWard 4`),
    expect: { bodyIncludes: [VISIT, 'Ward 4'] },
  },
  {
    name: 'a header that ends without a blank line',
    raw: bytes(`${HEAD}\n${VISIT}\n\nWard 4`),
    expect: { subject: 'Visit', body: `${VISIT}\n\nWard 4` },
  },
  {
    name: 'white space between fields of a header',
    raw: bytes(`From: Clinic <desk@clinic.example>\n \nSubject: Visit\n\t\n of Rosa\nTo: a@b.example\n\n${VISIT}`),
    expect: { subject: 'Visit of Rosa', body: VISIT },
  },
  {
    name: 'a stray line between fields of a header',
    raw: bytes(`From: Clinic <desk@clinic.example>\n*** checked ***\nSubject: Visit\n\n${VISIT}`),
    expect: { subject: 'Visit', body: VISIT },
  },
  {
    name: 'a header of a part that ends with white space',
    raw: withBoundary('multipart/mixed; boundary=b', `--b\nContent-Type: text/plain\n \n${VISIT}\n--b--`),
    expect: { body: VISIT },
  },
  {
    name: 'a header of a part that ends without a blank line',
    raw: withBoundary('multipart/mixed; boundary=b', `--b\nContent-Type: text/plain\n${VISIT}\nWard 4\n--b--`),
    expect: { body: `${VISIT}\nWard 4` },
  },
  {
    name: 'a part without a header that begins like one',
    raw: withBoundary('multipart/mixed; boundary=b', '--b\nNote: bring the card.\n--b--'),
    expect: { body: 'Note: bring the card.' },
  },
]

const onlyTexts: MailCase[] = [
  ...[
    'plain/text',
    'text',
    'plain',
    'text/x-unknown',
    'text/markdown; charset=utf-8',
    'TEXT/PLAIN',
    'text / plain',
  ].map(
    (type): MailCase => ({
      name: `a text as ${type}`,
      raw: mail({ 'Content-Type': type }, VISIT),
      expect: { body: VISIT },
    }),
  ),
  ...['attachment', 'attachment; filename=letter.txt', 'inline; filename=letter.txt'].map(
    (disposition): MailCase => ({
      name: `the only text as ${disposition}`,
      raw: mail({ 'Content-Type': 'text/plain', 'Content-Disposition': disposition }, VISIT),
      expect: { body: VISIT },
    }),
  ),
  {
    name: 'the only text in a file beside a picture',
    raw: multipartMail({}, 'mixed', [
      text('\r\n', {}),
      attachment('scan.png', 'image/png', Buffer.from('scan')),
      attachment('letter.txt', 'text/plain', Buffer.from(VISIT)),
    ]),
    expect: { body: VISIT, attachmentCount: 2 },
  },
  {
    name: 'a file beside a text stays a file',
    raw: multipartMail({}, 'mixed', [text('See the list.'), attachment('list.txt', 'text/plain', Buffer.from(VISIT))]),
    expect: { body: 'See the list.', attachmentCount: 1 },
  },
]

const RUSSIAN = 'Здравствуйте, результаты готовы.'
const windows1251 = (text: string) =>
  latin1(text.replace(/[А-я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350)))

const charsets: MailCase[] = [
  ...[
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    '<meta content="text/html;charset=Windows-1251" http-equiv=Content-Type>',
    '<META CHARSET=cp1251>',
    "<meta charset='win-1251'/>",
  ].map(
    (meta): MailCase => ({
      name: `the charset of HTML in ${meta}`,
      raw: mail(
        { 'Content-Type': 'text/html' },
        Buffer.concat([latin1(`<html><head>${meta}</head><body>`), windows1251(RUSSIAN), latin1('</body></html>')]),
      ),
      expect: { body: RUSSIAN },
    }),
  ),
  {
    name: 'the charset of HTML in its byte order mark',
    raw: mail({ 'Content-Type': 'text/html' }, Buffer.from(`\ufeff<p>${RUSSIAN}</p>`, 'utf16le')),
    expect: { body: RUSSIAN },
  },
  {
    name: 'a subject and a name in the charset of the text',
    raw: Buffer.concat([
      latin1('From: "'),
      windows1251('Клиника'),
      latin1('" <desk@clinic.example>\r\nSubject: '),
      windows1251('Результаты'),
      latin1('\r\nContent-Type: text/plain; charset=windows-1251\r\n\r\n'),
      windows1251(RUSSIAN),
    ]),
    expect: { subject: 'Результаты', from: 'desk@clinic.example', body: RUSSIAN },
  },
  {
    name: 'a subject in the charset of a part',
    raw: Buffer.concat([
      latin1('From: desk@clinic.example\r\nSubject: '),
      windows1251('Результаты'),
      latin1(
        '\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset="windows-1251"\r\n\r\n',
      ),
      windows1251(RUSSIAN),
      latin1('\r\n--b--'),
    ]),
    expect: { subject: 'Результаты', body: RUSSIAN },
  },
  {
    name: 'a sender with a comma in the name',
    raw: mail({ From: 'Weber, Dr. Anna <anna@clinic.example>' }, VISIT),
    expect: { from: 'anna@clinic.example', body: VISIT },
  },
  ...(
    [
      ['utf-7', 'F+APw-r Rosa: 2 +- 1', 'Für Rosa: 2 + 1'],
      ['unicode-1-1-utf-7', '+BCAENQQ3BEMEOwRMBEIEMARCBEs-', 'Результаты'],
      ['ibm850', 'M\x81ller, K\x94ln', 'Müller, Köln'],
      ['CP-437', 'M\x81ller', 'Müller'],
      ['ibm852', '\xa9koda', 'ękoda'],
      ['iso-2022-kr', '\x1b$)C\x0e>H3gGO<<?d\x0f.', '안녕하세요.'],
      ['hz-gb-2312', '~{<:Ky2;S{#,NpJ)l6HK~} ~~ ok', '己所不欲，勿施於人 ~ ok'],
      ['iso8859_1', 'M\xfcller', 'Müller'],
      ['"ISO 8859-15"', '20 \xa4', '20 €'],
      ['windows_1252', '\x84gut\x93', '„gut“'],
      ['koi8r', '\xf2\xcf\xda\xc1', 'Роза'],
      ['x-mac-roman', 'M\x9fller', 'Müller'],
    ] as const
  ).map(
    ([charset, body, expected]): MailCase => ({
      name: `a text in ${charset}`,
      raw: mail({ 'Content-Type': `text/plain; charset=${charset}` }, latin1(body)),
      expect: { body: expected },
    }),
  ),
]

const UU = 'begin 644 dose.txt\n+3VYE(\'1A8FQE="X \n \nend'
const files: MailCase[] = [
  {
    name: 'a file in uuencode inside of a text',
    raw: mail({}, `See the file.\n\n${UU}\n\nDr. Weber`),
    expect: {
      bodyIncludes: ['See the file.', 'Dr. Weber'],
      bodyExcludes: ['begin 644'],
      attachments: [{ filename: 'dose.txt', contentType: 'text/plain', size: 11 }],
    },
  },
  {
    name: 'a text that begins like uuencode',
    raw: mail({}, 'Please\nbegin 100 tablets\nof this and\nend'),
    expect: { body: 'Please\nbegin 100 tablets\nof this and\nend', attachments: [] },
  },
  {
    name: 'a file in yEnc inside of a text',
    raw: mail({}, latin1('See.\r\n=ybegin line=128 size=3 name=a.bin\r\n\x2b\x2c=n\r\n=yend size=3\r\nBye')),
    expect: {
      bodyIncludes: ['See.', 'Bye'],
      attachments: [{ filename: 'a.bin', contentType: 'application/octet-stream', size: 3 }],
    },
  },
]

const REQUEST =
  'BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:a\nDTSTART:20270112T090000Z\nSUMMARY:Eye test\nEND:VEVENT\nEND:VCALENDAR'
const calendars: MailCase[] = [
  {
    name: 'a calendar request decides the category',
    raw: multipartMail({ Subject: 'Your lab results and insurance' }, 'alternative', [
      text('The results and the insurance claim are ready.'),
      part({ 'Content-Type': 'text/calendar; charset=utf-8; method=REQUEST' }, REQUEST),
    ]),
    expect: { body: 'The results and the insurance claim are ready.', category: 'appointment' },
  },
  {
    name: 'a calendar without a text',
    raw: mail({ 'Content-Type': 'text/calendar; charset=utf-8' }, REQUEST),
    expect: { body: 'Invitation: Eye test, Tue 12 Jan 2027 09:00 (UTC)', category: 'appointment' },
  },
]

const related = multipart(
  'related',
  [
    html('<p>Look: <img src="cid:Rash@1"></p>'),
    part({ 'Content-Type': 'image/png; name=rash.png', 'Content-ID': '<rash@1>' }, 'x'),
  ],
  'r',
)
const pictures: MailCase[] = [
  {
    name: 'a picture inside of HTML',
    raw: mail({ 'Content-Type': related.type }, related.body),
    expect: { attachments: [{ filename: 'rash.png', contentType: 'image/png', inline: true }] },
  },
]

const kinds = [boundaries, headers, onlyTexts, charsets, files, calendars, pictures]

/** Letters whose form is wrong and whose text people still see in other programs: two of each kind. */
export const letters: MailCase[] = kinds.flatMap((kind) => kind.slice(0, 2))
/** The others, which need no whole stack. */
export const letterVariants: MailCase[] = kinds.flatMap((kind) => kind.slice(2))
