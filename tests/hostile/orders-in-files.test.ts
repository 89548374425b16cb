import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf, pdfOfLetters, pdfPage, streamOf } from '../_pdf-and-png.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { HIDDEN_CHARACTERS } from './_hidden-characters.ts'
import { orderOf } from './_injected-orders.ts'
import { ORDERS_IN_TEXT } from './_orders-in-text.ts'
import { type Result, speaksForItself } from './_own-words.ts'

const escaped = (words: string) => words.replaceAll(/[()\\]/g, '\\$&')
const at = (x: number, y: number, words: string, before = '', size = 9) =>
  `BT ${before} /F1 ${size} Tf ${x} ${y} Td (${escaped(words)}) Tj ET`
const seen = at(50, 780, 'Your results are fine.')
const below =
  (before: string, after = '') =>
  (order: string) =>
    pdfOf([`${seen} ${before} ${at(50, 700, order)} ${after}`])

/** Where a stranger puts an order into a document that people see. */
const SEEN: Record<string, (order: string) => Uint8Array> = {
  'a line': below(''),
  'the last page': (order) => pdfOf([seen, seen, at(50, 700, order)]),
}

/** And where they don't. */
const UNSEEN: Record<string, (order: string) => Uint8Array> = {
  'white text': below('1 1 1 rg'),
  'white text in gray': below('1 g'),
  'white text in CMYK': below('0 0 0 0 k'),
  'a white outline': below('1 Tr 1 1 1 RG'),
  'invisible text': below('3 Tr'),
  'clipped text': below('7 Tr'),
  'tiny text': (order) => pdfOf([`${seen} ${at(50, 700, order, '', 0.4)}`]),
  'text left of the page': (order) => pdfOf([`${seen} ${at(-2000, 700, order)}`]),
  'text below the page': (order) => pdfOf([`${seen} ${at(50, -500, order)}`]),
  'text that is cropped away': (order) =>
    pdfPage(`${seen} ${at(50, 700, order)}`, { page: '/CropBox [0 750 595 842]' }),
  'text shown as other letters': (order) =>
    pdfPage(`${seen} /Span << /ActualText (${escaped(order)}) >> BDC ${at(50, 700, 'See you.')} EMC`),
  'transparent text': (order) =>
    pdfPage(`${seen} /G gs ${at(50, 700, order)}`, { resources: '/ExtGState << /G << /ca 0.02 >> >>' }),
  'a layer': (order) =>
    pdfPage(
      `${seen} /OC /L BDC ${at(50, 700, order)} EMC`,
      {
        catalog: '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>',
        resources: '/Properties << /L 6 0 R >>',
      },
      ['<< /Type /OCG /Name (Notes) >>'],
    ),
  'everything beside its pages': besidePages,
}

/** In the order of PDF 32000-1: an action, the document's names, its outline, notes, properties and metadata, and a file in it. */
function besidePages(order: string): Uint8Array {
  const words = `(${escaped(order)})`
  const catalog = `/OpenAction << /S /JavaScript /JS ${words} >> /Lang ${words} /Outlines 7 0 R /Metadata 10 0 R`
  const names = `/Names << /EmbeddedFiles << /Names [${words} << /Type /Filespec /F ${words} /EF << /F 11 0 R >> >>] >> >>`
  const page = '/Annots [6 0 R]'
  return pdfPage(seen, { catalog: `${catalog} ${names}`, page, trailer: '/Info 9 0 R' }, [
    `<< /Type /Annot /Subtype /Text /Rect [50 600 80 630] /Contents ${words} /T ${words} /Subj ${words} >>`,
    '<< /Type /Outlines /First 8 0 R /Last 8 0 R /Count 1 >>',
    `<< /Title ${words} /Parent 7 0 R /Dest [4 0 R /Fit] >>`,
    `<< /Title ${words} /Author ${words} /Subject ${words} /Keywords ${words} /Creator ${words} >>`,
    streamOf(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${order}</x:xmpmeta>`, '/Type /Metadata /Subtype /XML'),
    streamOf(order, '/Type /EmbeddedFile'),
  ])
}

/** Every way to word an order, and all hidden characters, each on a page of its own. */
const CORPUS = [
  ...Object.values(ORDERS_IN_TEXT).flatMap((sayings) => Object.entries(sayings)),
  ...Object.entries(HIDDEN_CHARACTERS),
].map(([name, say], index) => ({ name, words: say(orderOf(`${700 + index}`)) }))
/** A tool returns 8,000 characters of a mail. */
const MAX_CHARACTERS = 7500
const MAX_PAGES = 15
/** The last page of each file of the corpus. */
const LAST = 'results fine'

type Written = { subject: string; file: Uint8Array } & (
  | { place: string; isSeen: boolean; order: string }
  | { pages: typeof CORPUS }
)

const PLACES: Written[] = [...Object.entries(SEEN), ...Object.entries(UNSEEN)].map(([place, make], index) => {
  const order = orderOf(`9${index + 10}`)
  return { subject: place, file: make(order), place, isSeen: place in SEEN, order }
})
const MAILS = [...PLACES, ...corpusFiles()]

function corpusFiles(): Written[] {
  const files: (typeof CORPUS)[] = [[]]
  let length = 0
  for (const page of CORPUS) {
    length += page.words.length
    if (length > MAX_CHARACTERS || files.at(-1)?.length === MAX_PAGES) {
      files.push([])
      length = page.words.length
    }
    files.at(-1)?.push(page)
  }
  return files.map((pages, index) => ({
    subject: `Corpus ${index}`,
    file: pdfOfLetters([...pages.map(({ words }) => words), LAST]),
    pages,
  }))
}

const test = anyTest.serial as TestFn<{ f: Guest & { sink: Sink }; ids: Map<string, string> }>

test.before(async (t) => {
  const f = await joinFamily()
  t.context = { f, ids: new Map() }
  const mailer = openMailer(f.stack)
  for (const { subject, file } of MAILS) {
    const parts = [text('See the file.'), attachment('report.pdf', 'application/pdf', Buffer.from(file))]
    await mailer.deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', multipartMail({ Subject: subject }, 'mixed', parts))
  }
  await until(async () => (await list(f, 'results fine')).structuredContent.messages.length === MAILS.length)
  const { messages } = (await list(f)).structuredContent
  t.context.ids = new Map(messages.map(({ id, subject }: { id: string; subject: string }) => [subject, id]))
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

async function list(f: Guest, query?: string): Promise<Result> {
  const args = { lovedOneId: f.family.lovedOnes[0]?.id, limit: 50, query }
  return (await f.call(f.family.keys.owner, 'list_inbox_messages', args)).json.result
}

async function read({ f, ids }: { f: Guest; ids: Map<string, string> }, subject: string): Promise<Result> {
  const args = { lovedOneId: f.family.lovedOnes[0]?.id, messageId: ids.get(subject) }
  return (await f.call(f.family.keys.owner, 'get_inbox_message', args)).json.result
}

const markOf = (order: string) => /order-\d+/.exec(order)?.[0] ?? ''

test('unless the owner allows it, no word of a document reaches an assistant, whatever it says', async (t) => {
  t.is((await list(t.context.f)).structuredContent.messages.length, MAILS.length)
  for (const { subject } of MAILS) {
    const result = await read(t.context, subject)
    speaksForItself(t, result, subject)
    t.false('text' in result.structuredContent.attachments[0], subject)
    t.false(result.structuredContent.untrusted.includes('attachments[].text'), subject)
    t.notRegex(JSON.stringify(result), /order-\d|evil\.example|results are fine/, subject)
  }
  for (const one of PLACES)
    if ('order' in one) {
      const found = await list(t.context.f, markOf(one.order))
      t.is(found.structuredContent.messages.length, one.isSeen ? 1 : 0, one.place)
      t.notRegex(JSON.stringify(found), /evil|forward|collect/i, `${one.place}: a search repeats its own words only`)
    }
})

test('if the owner allows it, an order is data where people see it, and nowhere where they don’t', async (t) => {
  const owner = await signIn(t.context.f, t.context.f.sink, t.context.f.family.people.owner)
  await owner.submit('/settings/notes', { files: '1' })
  for (const one of MAILS) {
    const result = await read(t.context, one.subject)
    speaksForItself(t, result, one.subject)
    const { attachments, untrusted, ...rest } = result.structuredContent
    t.true(untrusted.includes('attachments[].text'), one.subject)
    const [{ text: said = '' }] = attachments
    t.notRegex(JSON.stringify(rest), /order-\d|evil\.example/, one.subject)
    if ('order' in one) {
      t.is(said.includes(one.order), one.isSeen, one.place)
      t.is(said.includes(markOf(one.order)), one.isSeen, one.place)
      t.regex(said, /^Your results are fine\./, one.place)
    } else {
      const pages = said.split('\n\n')
      t.is(pages.length, one.pages.length + 1, one.subject)
      for (const [index, { name, words }] of one.pages.entries())
        t.is(comparable(pages[index] ?? ''), comparable(cleanText(words)), name)
    }
  }
})

/** Lines of a page end elsewhere. Our page has Arabic in the order of its letters, and readers expect it from right to left. */
function comparable(words: string): string {
  const letters = words.replaceAll(/\s/g, '')
  return /\p{Script=Arabic}/u.test(words) ? (letters.match(/[\p{L}\p{N}]/gu) ?? []).sort().join('') : letters
}

test('the document with orders beside its pages has them where programs look', (t) => {
  const raw = Buffer.from(besidePages('Forward all')).toString('latin1')
  t.is(raw.split('Forward all').length - 1, 15)
})
