import test from 'ava'
import { createRandom, type Random, scaled } from '../../../tests/_random.ts'
import { attachment, html, mail, multipart, multipartMail, part, text } from '../../../tests/mail-corpus/build-mail.ts'
import {
  base64Mail,
  bodyOf,
  fileOf,
  literalRtf,
  messageOf,
  propertiesOf,
  rtf,
  signedData,
  streamedSignedData,
  textEntity,
  tnef,
} from '../../../tests/mail-corpus/build-sealed.ts'
import { mailCorpus, mailVariants, rawMail } from '../../../tests/mail-corpus.ts'
import { readAttachments } from './mime/attachments.ts'
import { parseMessage } from './parse-message.ts'

const MARK = 'Take 2.5 mg of warfarin at 9:15 tonight.'
const MAX_SEED_BYTES = 20_000
/** Processor time, so that the limit holds on any machine. */
const MAX_MS = 2000

const letter = text(`Dear Rosa,\n${MARK}\nDr. Weber`)
const page = html(`<p>Dear Rosa,</p>\n<p>\n${MARK}\n</p>`)
const picture = attachment('scan.png', 'image/png', Buffer.from('scan'))
const both = multipart('alternative', [letter, page], 'both')
/** Each holds the sentence on a line of its own. */
const marked = [
  mail({}, `Dear Rosa,\n${MARK}\nDr. Weber`),
  mail({ 'Content-Type': 'text/html; charset=utf-8' }, `<html><body>\n${MARK}\n</body></html>`),
  multipartMail({}, 'mixed', [letter, picture]),
  multipartMail({}, 'alternative', [letter, page]),
  multipartMail({}, 'mixed', [part({ 'Content-Type': both.type }, both.body), picture]),
  multipartMail({}, 'report; report-type=delivery-status', [
    letter,
    part({ 'Content-Type': 'message/delivery-status' }, 'Action: delayed'),
  ]),
  multipartMail({}, 'mixed', [part({ 'Content-Type': 'message/rfc822' }, mail({}, MARK))]),
  mail({ 'Content-Type': 'text/plain', 'Content-Disposition': 'attachment; filename=a.txt' }, `a\n${MARK}\nb`),
].map((raw) => raw.toString('latin1'))

const sealed = [
  base64Mail({ 'Content-Type': 'application/pkcs7-mime' }, signedData(textEntity(MARK))),
  base64Mail({ 'Content-Type': 'application/pkcs7-mime' }, streamedSignedData(textEntity(MARK), 10)),
  ...[
    bodyOf(MARK),
    fileOf('a.txt', Buffer.from('a')),
    messageOf(tnef(bodyOf(MARK))),
    propertiesOf(rtf(literalRtf('{\\rtf1 a}'))),
  ].map((content) => mail({ 'Content-Type': 'application/ms-tnef' }, tnef(content, fileOf('b.txt', Buffer.from('b'))))),
  mail({ 'Content-Type': 'application/pkcs7-mime' }, signedData(textEntity(MARK))),
]
const corpus = [
  ...[...mailCorpus, ...mailVariants].flatMap((one) => (typeof one.raw === 'function' ? [] : [rawMail(one)])),
  ...sealed,
]
  .filter((raw) => raw.length < MAX_SEED_BYTES)
  .map((raw) => raw.toString('latin1'))

const LINES = [
  '',
  ' ',
  '\t',
  '--',
  '--both',
  '--=_mixed_boundary',
  '--other',
  'Content-Type: text/plain',
  'Content-Type: multipart/mixed; boundary=other',
  'Content-Type: text/html; charset=utf-16',
  'Content-Transfer-Encoding: 7bit',
  'X-Mailer: a',
  ' folded',
  'stray words',
  'begin 644 a.txt',
  'end',
  '-----BEGIN PGP MESSAGE-----',
]

test('a letter stays where a line is lost, repeated or added, and no mail becomes empty where several are, or move', async (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  for (let nth = 0; nth < scaled(1500, 50_000); nth += 1) {
    const changes = random.between(1, 4)
    const raw = Buffer.from(mutateLines(pick(random, marked), changes, random), 'latin1')
    const message = await parseMessage(raw)
    const places = [
      message.text,
      message.html,
      message.subject,
      ...readAttachments(raw).map(({ content }) => Buffer.from(content).toString()),
    ]
    if (changes === 1 && !places.some((place) => place?.includes(MARK))) return t.fail(`seed ${random.seed}:\n${raw}`)
    if (message.text.trim() === '' && message.attachments.length === 0) return t.fail(`seed ${random.seed}:\n${raw}`)
  }
  t.pass()
})

test('any damaged mail is read in bounded time', async (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  for (let nth = 0; nth < scaled(1500, 50_000); nth += 1) {
    const raw = Buffer.from(mutateBytes(pick(random, corpus), random), 'latin1')
    const before = process.threadCpuUsage()
    const message = await parseMessage(raw)
    const { user, system } = process.threadCpuUsage(before)
    if (message.unreadable || (user + system) / 1000 > MAX_MS)
      return t.fail(`seed ${random.seed}:\n${raw.toString('base64')}`)
  }
  t.pass()
})

function pick<One>(random: Random, list: readonly One[]): One {
  return list[random.between(0, list.length)] as One
}

function mutateLines(raw: string, changes: number, random: Random): string {
  const lines = raw.split('\r\n')
  for (let count = 0; count < changes; count += 1) {
    const at = random.between(0, lines.length)
    // An end that comes too early ends the letter (RFC 2046 section 5.1.1).
    if (lines[at] === MARK || lines[at]?.endsWith('--')) continue
    const act = random.between(0, changes === 1 ? 3 : 4)
    if (act === 0) lines.splice(at, 1)
    else if (act === 1) lines.splice(at, 0, pick(random, LINES))
    else if (act === 2) lines.splice(at, 0, lines[at] ?? '')
    else lines.splice(random.between(0, lines.length), 0, ...lines.splice(at, 1))
  }
  return lines.join('\r\n')
}

function mutateBytes(raw: string, random: Random): string {
  let text = raw
  for (let count = random.between(1, 6); count > 0; count -= 1) {
    const at = random.between(0, text.length + 1)
    const act = random.between(0, 5)
    if (act === 0) text = text.slice(0, at) + text.slice(at + random.between(1, 50))
    else if (act === 1) text = text.slice(0, at) + String.fromCharCode(random.between(0, 256)) + text.slice(at + 1)
    else if (act === 2)
      text =
        text.slice(0, at) + text.slice(random.between(0, text.length), random.between(0, text.length)) + text.slice(at)
    else if (act === 3) text = `${text.slice(0, at)}\r\n${pick(random, LINES)}\r\n${text.slice(at)}`
    else text = text.slice(0, at) + pick(random, corpus).slice(0, 2000) + text.slice(at)
  }
  return text
}
