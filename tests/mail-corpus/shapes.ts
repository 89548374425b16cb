import {
  attachment,
  html,
  type MailCase,
  mail,
  multipart,
  multipartMail,
  part,
  quotedPrintable,
  text,
} from './build-mail.ts'

const PDF = Buffer.from('%PDF-1.7 not a real document, only bytes \x00\x01\x02')
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

const HTML = `<!DOCTYPE html><html><head><title>Portal</title><style>p { color: red }</style></head><body>
<script>alert("never shown")</script><div style="display:none">preheader nobody sees</div>
<h1>Your results are ready</h1><p>Dear family,<br>see <a href="https://portal.example/r/1?a=1&amp;b=2">the portal</a>
or <a href="javascript:stealCookies()">this</a>.</p>
<table><tr><td>Glucose</td><td>95</td></tr><tr><td>A1c</td><td>5.4&nbsp;%</td></tr></table>
<img src="data:image/png;base64,${Buffer.alloc(3000, 7).toString('base64')}" alt="chart"><!-- secret comment --></body></html>`

const RENDERED = `Your results are ready

Dear family,
see the portal (https://portal.example/r/1?a=1&b=2) or this.

Glucose 95
A1c 5.4 %`

const INVITE = `BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20250812T143000
SUMMARY:Dr. Weber\\, yearly
  check-up
END:VEVENT
END:VCALENDAR
`

const NO_MARKUP = [
  '<',
  '>',
  'alert(',
  'stealCookies',
  'color: red',
  'preheader',
  'secret comment',
  'base64',
  'Portal\n',
]

export const shapes: MailCase[] = [
  {
    name: 'plain text',
    raw: mail({ Subject: 'Visit on Tuesday' }, 'Dear family,\n\n\n\n\nsee you on Tuesday.   \n-- \nFront desk\n'),
    expect: {
      subject: 'Visit on Tuesday',
      from: 'desk@clinic.example',
      body: 'Dear family,\n\nsee you on Tuesday.\n--\nFront desk',
      attachments: [],
      sentAt: '2025-08-05T07:30:00.000Z',
      originalSender: null,
      truncated: false,
    },
  },
  {
    name: 'HTML only',
    raw: mail({ 'Content-Type': 'text/html; charset=utf-8' }, HTML),
    expect: { body: RENDERED, bodyExcludes: NO_MARKUP, attachments: [] },
  },
  {
    name: 'HTML labeled as plain text',
    raw: mail({ 'Content-Type': 'text/plain; charset=utf-8' }, HTML),
    expect: { body: RENDERED, bodyExcludes: NO_MARKUP },
  },
  {
    name: 'alternative of text and HTML',
    raw: multipartMail({}, 'alternative', [text('The plain words.'), html('<p>The <b>rich</b> words.</p>')]),
    expect: { body: 'The plain words.', attachments: [] },
  },
  {
    name: 'alternative whose text is empty',
    raw: multipartMail({}, 'alternative', [text(' \n\t\n'), html(HTML)]),
    expect: { body: RENDERED, bodyExcludes: NO_MARKUP, attachments: [] },
  },
  {
    name: 'mixed with three attachments, one inline',
    raw: multipartMail({ Subject: 'Lab results' }, 'mixed', [
      part({ 'Content-Type': multipart('related', [], 'rel').type }, related()),
      attachment('results.pdf', 'application/pdf', PDF),
      attachment('notes.txt', 'text/plain', Buffer.from('file text, not body text')),
    ]),
    expect: {
      body: 'See the chart.',
      bodyExcludes: ['file text', 'PDF', 'iVBOR'],
      attachments: [
        { filename: 'chart.png', contentType: 'image/png', size: PNG.length, inline: true },
        { filename: 'results.pdf', contentType: 'application/pdf', size: PDF.length, inline: false },
        { filename: 'notes.txt', contentType: 'text/plain', size: 24, inline: false },
      ],
      category: 'results',
    },
  },
  {
    name: 'attachment names in RFC 2231, encoded words and with a path',
    raw: multipartMail({}, 'mixed', [
      text('Three files.'),
      named("attachment; filename*0*=utf-8''Arztbrief%20M%C3; filename*1*=%BCller; filename*2=.pdf"),
      named('attachment; filename="=?utf-8?Q?Befund_=C3=9Cbersicht.pdf?="'),
      named('attachment; filename="../../etc/pass\\"wd\u202e.pdf"'),
      named('attachment'),
    ]),
    expect: {
      body: 'Three files.',
      attachments: [
        { filename: 'Arztbrief Müller.pdf', contentType: 'application/pdf' },
        { filename: 'Befund Übersicht.pdf', contentType: 'application/pdf' },
        { filename: '_.._etc_pass_wd.pdf', contentType: 'application/pdf' },
        { filename: 'attachment-4.pdf', contentType: 'application/pdf' },
      ],
    },
  },
  {
    name: 'calendar invitation',
    raw: multipartMail({ Subject: 'Invitation' }, 'mixed', [
      text('Please come.'),
      part({ 'Content-Type': 'text/calendar; charset=utf-8; method=REQUEST' }, INVITE),
      attachment('invite.ics', 'application/ics', Buffer.from(INVITE)),
    ]),
    expect: {
      body: 'Please come.',
      attachments: [
        { filename: 'attachment-1.ics', contentType: 'text/calendar' },
        { filename: 'invite.ics', contentType: 'application/ics' },
      ],
      category: 'appointment',
    },
  },
  {
    name: 'winmail.dat',
    raw: multipartMail({}, 'mixed', [text('See file.'), attachment('winmail.dat', 'application/ms-tnef', PNG)]),
    expect: { body: 'See file.', attachments: [{ filename: 'winmail.dat', contentType: 'application/ms-tnef' }] },
  },
  {
    name: 'a mail that is a single attachment',
    raw: mail({ 'Content-Type': 'application/pdf', 'Content-Transfer-Encoding': 'base64' }, PDF.toString('base64')),
    expect: {
      body: '',
      attachments: [{ filename: 'attachment-1.pdf', contentType: 'application/pdf', size: PDF.length }],
    },
  },
  {
    name: 'format=flowed',
    raw: mail(
      { 'Content-Type': 'text/plain; charset=utf-8; format=flowed' },
      'This is one \nparagraph of \nthree lines.\n From here: stuffed.\n> quoted \n> together\n>> deeper\n-- \nFront desk\n',
    ),
    expect: {
      body: 'This is one paragraph of three lines.\nFrom here: stuffed.\n> quoted together\n>> deeper\n--\nFront desk',
    },
  },
  {
    name: 'format=flowed with DelSp',
    raw: mail({ 'Content-Type': 'text/plain; format=flowed; delsp=yes' }, 'Kranken \nhaus und Apo \ntheke\n'),
    expect: { body: 'Krankenhaus und Apotheke' },
  },
  {
    name: 'quoted-printable with soft breaks and padding',
    raw: mail(
      { 'Content-Transfer-Encoding': 'Quoted-Printable' },
      `${quotedPrintable('100 % = sure, ')}=\nreally=20   \nend`,
    ),
    expect: { body: '100 % = sure, really\nend' },
  },
  {
    name: 'multipart without a closing delimiter but with an inner epilogue',
    raw: mail(
      { 'Content-Type': 'multipart/mixed; boundary=outer' },
      '--outer\nContent-Type: multipart/mixed; boundary=inner\n\n--inner\n\nfirst\n--inner--\nepilogue\n--outer\n\nsecond\n',
    ),
    expect: { body: 'first\n\nsecond', bodyExcludes: ['epilogue', 'outer'] },
  },
  {
    name: 'multipart whose boundary never appears',
    raw: mail({ 'Content-Type': 'multipart/mixed; boundary=missing' }, 'Still readable.\n--other\n'),
    expect: { body: 'Still readable.\n--other', attachments: [] },
  },
  {
    name: 'missing Message-ID',
    raw: mail({ 'Message-ID': null }, 'No id.'),
    expect: { body: 'No id.', messageId: null },
  },
  { name: 'missing Date', raw: mail({ Date: null }, 'No date.'), expect: { body: 'No date.', sentAt: null } },
  { name: 'missing From', raw: mail({ From: null }, 'No sender.'), expect: { body: 'No sender.', from: '' } },
  {
    name: 'no header at all',
    raw: Buffer.from('Just words, no header.\r\n\r\nMore words.\r\n'),
    expect: { body: 'Just words, no header.\n\nMore words.', subject: '', from: '', attachments: [] },
  },
]

function related(): Buffer {
  const picture = part(
    { 'Content-Type': 'image/png; name=chart.png', 'Content-ID': '<chart@1>', 'Content-Transfer-Encoding': 'base64' },
    PNG.toString('base64'),
  )
  return multipart('related', [html('<p>See the chart.</p><img src="cid:chart@1">'), picture], 'rel').body
}

function named(disposition: string): Buffer {
  return part({ 'Content-Type': 'application/pdf', 'Content-Disposition': disposition }, 'x')
}
