import type { IncomingMessage } from 'node:http'
import { authenticateMail } from '@family-inbox/mail-reader/authenticity/authenticate-mail'
import { describeCalendar } from '@family-inbox/mail-reader/calendar/describe-calendar'
import { readCalendar } from '@family-inbox/mail-reader/calendar/read-calendar'
import { safeMarkup } from '@family-inbox/mail-reader/markup/safe-markup'
import { charsetOfHtml, decodeCharset } from '@family-inbox/mail-reader/mime/charset'
import { readCms } from '@family-inbox/mail-reader/mime/cms'
import { decompressRtf } from '@family-inbox/mail-reader/mime/compressed-rtf'
import { findFilesInText } from '@family-inbox/mail-reader/mime/encoded-files'
import { findBoundary } from '@family-inbox/mail-reader/mime/find-boundary'
import { readForward } from '@family-inbox/mail-reader/mime/forwarded-original'
import { readMailReport } from '@family-inbox/mail-reader/mime/mail-report'
import { parseMailboxes, readFrom, readMessageFields, readSubject } from '@family-inbox/mail-reader/mime/message-fields'
import { parseStructuredField } from '@family-inbox/mail-reader/mime/mime-part'
import { readMimeTree } from '@family-inbox/mail-reader/mime/mime-tree'
import { readPlainHeader } from '@family-inbox/mail-reader/mime/plain-header'
import { readRtf } from '@family-inbox/mail-reader/mime/rtf'
import { readTnef } from '@family-inbox/mail-reader/mime/tnef'
import { decodeTransfer, guessEncoding } from '@family-inbox/mail-reader/mime/transfer-encoding'
import { fallbackMessage, parseMessage } from '@family-inbox/mail-reader/parse-message'
import { categorize } from '@family-inbox/mail-reader/text/category'
import { findForwardingConfirmation } from '@family-inbox/mail-reader/text/forwarding-confirmation'
import { loadHtmlConverter, withoutTags } from '@family-inbox/mail-reader/text/html-text'
import { previewOf } from '@family-inbox/mail-reader/text/message-text'
import { readOwnWords } from '@family-inbox/mail-reader/text/own-words'
import { isPlaceholder, saysAllOf } from '@family-inbox/mail-reader/text/placeholder'
import { joinFlowedLines } from '@family-inbox/mail-reader/text/render-body'
import { openArmor } from '@family-inbox/mail-reader/text/sealed'
import { findSensitiveAsks } from '@family-inbox/mail-reader/text/sensitive-asks'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import { safeFileName } from '@family-inbox/service-kit/rpc/export-files'
import { requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import { cleanLine, cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { readIsoTime } from '@family-inbox/service-kit/text/iso-time'
import { trimOf } from '@family-inbox/service-kit/text/trim'
import { normalizeRegistration, requireTypes } from '../../services/auth/src/oauth/normalize-registration.ts'
import { normalizeAuthorization } from '../../services/auth/src/oauth/rewrite-request.ts'
import { plainText } from '../../services/care-circle/src/timeline/plain-note.ts'
import { clientAddress } from '../../services/gateway/src/http/client-address.ts'
import { normalizeTarget } from '../../services/gateway/src/http/request-target.ts'
import { parseRequest } from '../../services/gateway/src/json-rpc/parse-request.ts'
import { indexWords, searchWords } from '../../services/inbox/src/models/index-words.ts'
import { readEnvelope } from '../../services/pipe/src/envelope/read-envelope.ts'
import { readStartRequest } from '../../services/sandbox/src/start-request.ts'
import { findDates } from '../../services/site/src/inbox/find-dates.ts'
import { findDeadlines } from '../../services/site/src/inbox/find-deadlines.ts'
import { linkedText } from '../../services/site/src/inbox/linked-text.ts'
import { chooseType } from '../../services/site/src/public/accept.ts'
import { readCookies } from '../../services/site/src/shell/cookies.ts'

export type Parser = {
  name: string
  /** The longest input it can get, in characters. */
  limit: number
  parse: (text: string) => unknown
  /** What comes before the repetition. */
  begin?: string
}

const KB = 1024
const HEADER = 16 * KB
const FIELD = 32 * KB
const BODY = 256 * KB
/** Mail may be 14 times as long; that only takes longer to test. */
const MAIL = 2 * KB * KB

const bytes = (text: string) => Buffer.from(text)
const fields = (names: string[], value: string) => names.map((name) => ({ name, value }))
const quietly = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}
const target = (url: string) => ({ url, rawHeaders: ['Host', url], headers: {} }) as unknown as IncomingMessage
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'
const HTML = 'Content-Type: text/html\r\n\r\n'

/** Up to where pieces of the content start, and up to the first attribute. */
const CMS = Buffer.from(
  '308006092a864886f70d010702a0803080020101310030800609' + '2a864886f70d010701a0802480',
  'hex',
).toString('latin1')
const TNEF = Buffer.from('789f3e220100', 'hex').toString('latin1')
const compressed = (text: string) =>
  Buffer.concat([Buffer.from('ffffff00ffffff004c5a467500000000', 'hex'), Buffer.from(text, 'latin1')])

const FROM = 'From: desk@a.example\r\n'
const SIGNATURE = 'DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=s; c=relaxed/relaxed; h=from; bh=AAAA; b=AAAA'
const SIGNATURES = Array.from({ length: 8 }, (_, nth) => `${SIGNATURE}; l=${nth + 1e9}\r\n`).join('')
const ENVELOPE = { sender: 'desk@a.example', helo: 'mx.a.example', peer: '192.0.2.1' }
const NO_DNS = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
const authenticated = (text: string) => authenticateMail(bytes(text), ENVELOPE, NO_DNS)
/** As many signatures as fit, each with a body hash of its own, and a body as long. */
const signedMail = (text: string) => {
  const one = (nth: number) => `${SIGNATURE}; l=${nth}\r\n`
  const signatures = Array.from({ length: Math.floor(text.length / SIGNATURE.length) }, (_, nth) => one(nth))
  return authenticated(`${signatures.join('')}${text}\r\n\r\n${'a b\r\n'.repeat(text.length / 5)}`)
}

/** Every function of ours that reads text from outside, and the library that checks signatures. */
export const PARSERS: readonly Parser[] = [
  { name: 'cleanText', limit: 2 * BODY, parse: cleanText },
  { name: 'cleanLine', limit: FIELD, parse: cleanLine },
  { name: 'cut', limit: 2 * BODY, parse: (text) => cut(text, text.length - 10) },
  { name: 'trimOf', limit: BODY, parse: (text) => trimOf(text, '.,; \t') },
  { name: 'safeFileName', limit: FIELD, parse: safeFileName },
  { name: 'requireLine', limit: BODY, parse: (text) => quietly(() => requireLine('x', text, 1000)) },
  { name: 'requireEmail', limit: BODY, parse: (text) => quietly(() => requireEmail('x', text)) },
  { name: 'readIsoTime', limit: BODY, begin: '2026-11-20T10:00:00', parse: readIsoTime },
  { name: 'findSessionCookie', limit: HEADER, parse: (text) => findSessionCookie(text, 'https://a.example') },
  { name: 'readCookies', limit: HEADER, parse: (text) => readCookies({ urls: URLS }, text) },

  { name: 'chooseType', limit: HEADER, parse: (text) => chooseType(text, ['text/html', 'application/json']) },
  { name: 'clientAddress', limit: HEADER, parse: (text) => clientAddress('192.0.2.1', text, 1) },
  { name: 'normalizeTarget', limit: HEADER, begin: 'http://', parse: (text) => normalizeTarget(target(text)) },
  { name: 'parseRequest', limit: BODY, parse: (text) => parseRequest(bytes(text)) },
  {
    name: 'parseRequest of a call',
    limit: BODY,
    begin: '{"jsonrpc":"2.0","id":1,',
    parse: (text) => parseRequest(bytes(text)),
  },
  { name: 'readEnvelope', limit: BODY, parse: (text) => readEnvelope(bytes(text)) },
  { name: 'readEnvelope of an event', limit: BODY, begin: '{"payload":{', parse: (text) => readEnvelope(bytes(text)) },
  { name: 'plainText', limit: BODY, parse: (text) => plainText(text, 2000) },
  { name: 'readStartRequest', limit: BODY, parse: (text) => quietly(() => readStartRequest(startRequest(text))) },

  { name: 'normalizeRegistration', limit: 64 * KB, parse: (text) => quietly(() => register(text)) },
  {
    name: 'normalizeAuthorization',
    limit: HEADER,
    parse: (text) => normalizeAuthorization(new URLSearchParams({ scope: text, resource: text }), []),
  },

  { name: 'readMimeTree', limit: MAIL, parse: (text) => readMimeTree(bytes(text)) },
  { name: 'readMimeTree of a multipart', limit: MAIL, begin: MIXED, parse: (text) => readMimeTree(bytes(text)) },
  { name: 'parseMessage', limit: MAIL, begin: 'Subject: x\r\n\r\n', parse: (text) => parseMessage(bytes(text)) },
  { name: 'parseMessage of HTML', limit: 2 * BODY, begin: HTML, parse: (text) => parseMessage(bytes(text)) },
  { name: 'fallbackMessage', limit: MAIL, begin: 'To: ', parse: (text) => fallbackMessage(bytes(text)) },
  { name: 'base64', limit: MAIL, parse: (text) => decodeTransfer(bytes(text), 'base64') },
  { name: 'quoted-printable', limit: MAIL, parse: (text) => decodeTransfer(bytes(text), 'quoted-printable') },
  { name: 'guessEncoding', limit: MAIL, parse: (text) => guessEncoding('7-bit', bytes(text)) },
  { name: 'decodeCharset', limit: MAIL, parse: (text) => decodeCharset(bytes(text), 'iso-2022-jp') },
  ...['utf-7', 'utf-7-imap', 'hz-gb-2312', 'iso-2022-kr', 'ibm850'].map((label) => ({
    name: `decodeCharset of ${label}`,
    limit: MAIL,
    parse: (text: string) => decodeCharset(bytes(text), label),
  })),
  { name: 'the label of decodeCharset', limit: FIELD, parse: (text) => decodeCharset(bytes('é'), text) },
  { name: 'charsetOfHtml', limit: BODY, begin: '<meta ', parse: (text) => charsetOfHtml(bytes(text)) },
  { name: 'findBoundary', limit: MAIL, begin: '--a\r\n', parse: (text) => findBoundary(bytes(text)) },
  { name: 'findFilesInText', limit: MAIL, begin: 'begin 644 a\n', parse: findFilesInText },
  { name: 'readCms', limit: MAIL, begin: CMS, parse: (text) => readCms(Buffer.from(text, 'latin1')) },
  { name: 'readTnef', limit: MAIL, begin: TNEF, parse: (text) => readTnef(Buffer.from(text, 'latin1'), 200) },
  { name: 'readRtf', limit: MAIL, begin: '{\\rtf1 ', parse: (text) => readRtf(bytes(text)) },
  { name: 'decompressRtf', limit: MAIL, parse: (text) => decompressRtf(compressed(text)) },
  { name: 'openArmor', limit: BODY, begin: '-----BEGIN PGP MESSAGE-----\n', parse: openArmor },
  { name: 'parseStructuredField', limit: FIELD, begin: 'text/plain', parse: parseStructuredField },
  { name: 'readPlainHeader', limit: BODY, begin: FROM, parse: (text) => readPlainHeader(bytes(text)) },
  { name: 'readOwnWords', limit: BODY, begin: 'Yes.\n', parse: readOwnWords },
  { name: 'parseMailboxes', limit: FIELD, parse: parseMailboxes },
  { name: 'readFrom', limit: FIELD, parse: (text) => readFrom(fields(['from', 'sender', 'return-path'], text)) },
  { name: 'readSubject', limit: FIELD, parse: (text) => readSubject(fields(['subject'], text)) },
  { name: 'readMessageFields', limit: FIELD, parse: (text) => readMessageFields(fields(HEADERS, text)) },
  {
    name: 'readForward',
    limit: BODY,
    begin: 'Begin forwarded message:\n',
    parse: (text) => readForward(readMimeTree(bytes('Subject: x\r\n\r\n')).root, 'Fwd: x', text),
  },
  {
    name: 'findForwardingConfirmation',
    limit: BODY,
    parse: (text) => findForwardingConfirmation('forwarding-noreply@google.com', text, text),
  },
  {
    name: 'categorize',
    limit: BODY,
    parse: (text) => categorize({ subject: text.slice(0, 1000), text, automated: false, invitation: false }),
  },
  { name: 'describeCalendar', limit: BODY, begin: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n', parse: describeCalendar },
  { name: 'joinFlowedLines', limit: BODY, parse: (text) => joinFlowedLines(text, false) },
  {
    name: 'readMailReport',
    limit: BODY,
    begin: 'Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n',
    parse: (text) => readMailReport(readMimeTree(bytes(text)).root),
  },
  { name: 'authenticateMail of a header', limit: BODY, begin: `${FROM}Received: from a`, parse: authenticated },
  { name: 'authenticateMail of a signature', limit: BODY, begin: `${FROM}DKIM-Signature: v=1; `, parse: authenticated },
  { name: 'authenticateMail of signatures', limit: 64 * KB, begin: FROM, parse: signedMail },
  {
    name: 'authenticateMail of a signed body',
    limit: 16 * KB,
    begin: `${SIGNATURES}${FROM}\r\n`,
    parse: authenticated,
  },
  { name: 'the HTML converter', limit: 2 * BODY, parse: async (text) => (await loadHtmlConverter())(text) },
  { name: 'withoutTags', limit: BODY, parse: withoutTags },
  { name: 'saysAllOf', limit: BODY, begin: 'See it as HTML ', parse: (text) => saysAllOf('Hello', text) },
  { name: 'isPlaceholder', limit: BODY, parse: (text) => isPlaceholder(`Hello ${text}`, `Dear Rosa\n${text}`) },
  { name: 'safeMarkup', limit: 1024 * KB, parse: (text) => safeMarkup(text, []) },
  { name: 'previewOf', limit: BODY, parse: previewOf },
  { name: 'findSensitiveAsks', limit: BODY, parse: (text) => findSensitiveAsks('', text) },
  { name: 'indexWords', limit: BODY, parse: (text) => indexWords([text]) },
  { name: 'searchWords', limit: BODY, parse: searchWords },
  { name: 'linkedText', limit: BODY, parse: linkedText },
  { name: 'findDates', limit: BODY, parse: (text) => findDates(text, '2026-05-02') },
  { name: 'findDeadlines', limit: BODY, begin: 'Please reply by ', parse: (text) => findDeadlines(text, '2026-05-02') },
  {
    name: 'readCalendar',
    limit: BODY,
    begin: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260514T102000Z\r\n',
    parse: (text) => readCalendar({ text: `${text}\r\nEND:VEVENT\r\nEND:VCALENDAR` }, new Date()),
  },
]

const URLS = { base: 'https://a.example', api: 'https://b.example', inbox: 'https://c.example' }
const HEADERS = ['message-id', 'in-reply-to', 'references', 'to', 'cc', 'date', 'reply-to', 'from', 'subject']

function startRequest(text: string) {
  const names = { lovedOneFirstName: text, lovedOneLastName: 'Silva', familyName: text }
  return {
    ...names,
    primaryCaregiverEmail: text,
    careContext: text,
    inviteEmails: [text],
    clientAddress: '192.0.2.1',
  } as unknown as Parameters<typeof readStartRequest>[0]
}

function register(text: string) {
  const metadata = {
    client_name: text,
    redirect_uris: [`https://a.example/${text}`, text],
    scope: text,
    client_uri: text,
  }
  requireTypes(metadata)
  normalizeRegistration(metadata, { accepted: new Set(), refused: new Set() })
}

/** Repeated: the characters and tokens that grammars of mail, HTML, JSON, URLs and headers treat specially. */
export const SHAPES: readonly string[] = [
  ...['a', ' ', '\t', '\n', '\r\n', '\r', '.', ',', ';', ':', '=', '-', '--', '_', '/', '\\', '%', '&', '#', '@', '+'],
  ...[
    '"',
    "'",
    '(',
    ')',
    '<',
    '>',
    '[',
    ']',
    '{',
    '}',
    '\u0000',
    '\u200d',
    '\u00ad',
    '\u202e',
    'é',
    'e\u0301',
    '👩‍👩‍👧',
  ],
  ...[
    'a ',
    'a\n',
    ' \n',
    '\r\n ',
    'a@',
    'a@b.example, ',
    '"a" <',
    '<a@b.example> ',
    'x: y;',
    'a="b";',
    "a*0*=''b;",
    '((',
  ],
  ...[
    '=?',
    '=?utf-8?b?YQ==?= ',
    '=?utf-8?q?a?=',
    '?=',
    '=41',
    '=\r\n',
    'QQ==',
    '--b\r\n',
    '\r\n--b\r\nContent-Type: x\r\n\r\n',
  ],
  ...['From: a@b.example\n', 'Subject: a\r\n', '> ', '>> a\n', '-- \n', 'BEGIN:VEVENT\r\n', 'SUMMARY:a\\n', 'b=a; '],
  ...[
    '<a href="x">',
    'begin 644 a\n',
    '=ybegin name=a\n',
    '{\\b ',
    "\\'e9",
    '\\u1?',
    '~{',
    '+AGE-',

    '-----BEGIN PGP MESSAGE-----\n',
    '\n--a\n',
    'stray\nX-Y: z\n',
    ' \nX-Y: z\n',
    '<meta charset=',
    '\u0004\u0001a',
    '$\u0080',
    '<table><tr><td>',
    '</td>',
    '<!--',
    '<style>',
    '<p style="color:red;',
    '<b><i>',
    '&#x41;',
    'data:a/b,',
    'url( ',
  ],
  ...[
    'http://a.example/',
    'https://',
    'www.',
    '//',
    '../',
    '%2',
    '?a=',
    '192.0.2.1, ',
    '2026-',
    '"a":1,',
    '{"a":',
    '[[',
    '\\u0041',
    '\\"',
  ],
]
