import { attachment, base64, type MailCase, mail, multipart, multipartMail, part, text } from './build-mail.ts'
import {
  base64Mail,
  bodyOf,
  envelopedData,
  fileOf,
  html,
  literalRtf,
  longName,
  messageOf,
  propertiesOf,
  rtf,
  signedData,
  streamedSignedData,
  textEntity,
  tnef,
  unicodeBody,
} from './build-sealed.ts'

const TEXT = 'Please bring the insurance card on Friday at nine, für Rosa.'
const ENCRYPTED = 'This message is encrypted, so it cannot be read here.'
const WINMAIL = { 'Content-Type': 'application/ms-tnef; name=winmail.dat' }
const RTF = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}}{\*\generator Writer;}\f0 The visit is on \b Tuesday\b0  at 9:15.\par F\'fcr Rosa \u8211? ask\~Anna.\par}`
const HTML_IN_RTF = String.raw`{\rtf1\ansi\fbidis\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Do not take warfarin tonight.\htmlrtf }\htmlrtf0 {\*\htmltag72 </p>}}`
const ARMOR =
  '-----BEGIN PGP MESSAGE-----\nVersion: 2\n\nhQEMA0Zp6l8gAbcdAQf/TzQ1\nq83v\n=aB3d\n-----END PGP MESSAGE-----'

const letterWithFile = multipart(
  'mixed',
  [text(TEXT), attachment('plan.pdf', 'application/pdf', Buffer.from('%PDF-1.4'))],
  'inside',
)
const entity = part({ 'Content-Type': letterWithFile.type }, letterWithFile.body)

const smime = (type: string, fields = {}) => ({
  'Content-Type': type,
  'Content-Disposition': 'attachment; filename="smime.p7m"',
  ...fields,
})

/** Signed, encrypted, and packed by Outlook. */
export const sealed: MailCase[] = [
  ...[
    'application/pkcs7-mime; smime-type=signed-data; name=smime.p7m',
    'application/x-pkcs7-mime; name=smime.p7m',
    'application/pkcs7-mime',
    'application/octet-stream; name=smime.p7m',
  ].map(
    (type): MailCase => ({
      name: `an opaque signed letter as ${type}`,
      raw: base64Mail(smime(type), signedData(textEntity(TEXT))),
      expect: { body: TEXT, attachments: [], category: 'insurance' },
    }),
  ),
  {
    name: 'an opaque signed letter as a stream, with a file',
    raw: base64Mail(smime('application/pkcs7-mime'), streamedSignedData(entity)),
    expect: { body: TEXT, attachments: [{ filename: 'plan.pdf', contentType: 'application/pdf', size: 8 }] },
  },
  {
    name: 'a letter that is signed twice',
    raw: base64Mail(
      smime('application/pkcs7-mime'),
      signedData(part({ 'Content-Type': 'application/pkcs7-mime' }, signedData(textEntity(TEXT)))),
    ),
    expect: { body: TEXT, attachments: [] },
  },
  {
    name: 'a signed file is a file',
    raw: multipartMail({}, 'mixed', [
      text('The invoice.'),
      attachment('invoice.pdf.p7m', 'application/pkcs7-mime', signedData(Buffer.from('%PDF-1.4'))),
    ]),
    expect: {
      body: 'The invoice.',
      attachments: [{ filename: 'invoice.pdf', contentType: 'application/pdf', size: 8 }],
    },
  },
  {
    name: 'the signature of a letter is no document',
    raw: multipartMail({}, 'signed', [
      text(TEXT),
      attachment('smime.p7s', 'application/pkcs7-signature', Buffer.from('signature')),
    ]),
    expect: { body: TEXT, attachments: [] },
  },
  {
    name: 'the signature of a letter by PGP is no document',
    raw: multipartMail({}, 'signed', [
      text(TEXT),
      part({ 'Content-Type': 'application/pgp-signature; name=signature.asc' }, '-----BEGIN PGP SIGNATURE-----'),
    ]),
    expect: { body: TEXT, attachments: [] },
  },
  ...(['enveloped', 'authenticated'] as const).map(
    (type): MailCase => ({
      name: `an encrypted letter (${type})`,
      raw: base64Mail(smime('application/pkcs7-mime; smime-type=enveloped-data'), envelopedData(type)),
      expect: { bodyIncludes: [ENCRYPTED, 'Ask the sender'], attachmentCount: 1 },
    }),
  ),
  {
    name: 'an encrypted letter inside of a signed one',
    raw: base64Mail(
      smime('application/pkcs7-mime'),
      signedData(
        part(
          { 'Content-Type': 'application/pkcs7-mime', 'Content-Transfer-Encoding': 'base64' },
          base64(envelopedData()),
        ),
      ),
    ),
    expect: { bodyIncludes: [ENCRYPTED] },
  },
  {
    name: 'a letter encrypted by PGP',
    raw: multipartMail({}, 'encrypted', [
      part({ 'Content-Type': 'application/pgp-encrypted' }, 'Version: 1'),
      attachment('encrypted.asc', 'application/octet-stream', Buffer.from(ARMOR)),
    ]),
    expect: { bodyIncludes: [ENCRYPTED], attachments: [{ filename: 'encrypted.asc' } as never] },
  },
  {
    name: 'text encrypted by PGP inside of a letter',
    raw: mail({}, `Dear family,\n\n${ARMOR}\n\nDr. Weber`),
    expect: { bodyIncludes: ['Dear family,', ENCRYPTED, 'Dr. Weber'], bodyExcludes: ['hQEMA', 'BEGIN PGP'] },
  },
  {
    name: 'a letter that only speaks of PGP',
    raw: mail(
      {},
      'A block begins with\n-----BEGIN PGP MESSAGE-----\nTake one tablet, not two!\n-----END PGP MESSAGE-----',
    ),
    expect: { bodyIncludes: ['Take one tablet, not two!'], bodyExcludes: [ENCRYPTED] },
  },
  {
    name: 'text signed by PGP',
    raw: mail(
      {},
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${TEXT}\n- -- two tablets\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n`,
    ),
    expect: { body: `${TEXT}\n-- two tablets`, attachments: [] },
  },
  {
    name: 'winmail.dat with a text',
    raw: base64Mail(WINMAIL, tnef(bodyOf('The discharge is on Monday.'))),
    expect: { body: 'The discharge is on Monday.', attachments: [] },
  },
  {
    name: 'winmail.dat with a text in Unicode, as plain bytes',
    raw: base64Mail(
      { 'Content-Type': 'application/octet-stream; name=winmail.dat' },
      tnef(propertiesOf(unicodeBody('Выписка в понедельник.'))),
    ),
    expect: { body: 'Выписка в понедельник.', attachments: [] },
  },
  {
    name: 'winmail.dat with rich text only',
    raw: base64Mail(WINMAIL, tnef(propertiesOf(rtf(literalRtf(RTF))))),
    expect: { body: 'The visit is on Tuesday at 9:15.\nFür Rosa – ask Anna.', attachments: [] },
  },
  {
    name: 'winmail.dat with HTML inside of rich text',
    raw: base64Mail(WINMAIL, tnef(propertiesOf(rtf(literalRtf(HTML_IN_RTF))))),
    expect: { body: 'Do not take warfarin tonight.', attachments: [] },
  },
  {
    name: 'winmail.dat with HTML',
    raw: base64Mail(WINMAIL, tnef(propertiesOf(html(Buffer.from('<p>The <b>visit</b> is on Friday.</p>'))))),
    expect: { body: 'The visit is on Friday.', attachments: [] },
  },
  {
    name: 'winmail.dat with files beside a text',
    raw: multipartMail({}, 'mixed', [
      text('See the files.'),
      attachment(
        'winmail.dat',
        'application/ms-tnef',
        tnef(
          bodyOf('See the files.'),
          fileOf('PLAN~1.PDF', Buffer.from('%PDF-1.4'), longName('discharge plan für Rosa.pdf')),
          fileOf('list.txt', Buffer.from('One tablet.')),
        ),
      ),
    ]),
    expect: {
      body: 'See the files.',
      attachments: [
        { filename: 'discharge plan für Rosa.pdf', contentType: 'application/pdf', size: 8 },
        { filename: 'list.txt', contentType: 'text/plain', size: 11 },
      ],
    },
  },
  {
    name: 'a mail inside of winmail.dat',
    raw: base64Mail(
      WINMAIL,
      tnef(bodyOf('The letter is attached.'), messageOf(tnef(fileOf('letter.pdf', Buffer.from('%PDF-1.4'))))),
    ),
    expect: {
      body: 'The letter is attached.',
      attachments: [{ filename: 'letter.pdf', contentType: 'application/pdf' }],
    },
  },
]
