import test from 'ava'
import { joinFamily } from '../_family.ts'
import { openMailer } from '../_mailer.ts'
import { assemble, pdfOf } from '../_pdf-and-png.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { orderOf } from './_injected-orders.ts'

const at = (x: number, y: number, words: string, before = '', size = 9) =>
  `BT ${before} /F1 ${size} Tf ${x} ${y} Td (${words.replaceAll(/[()\\]/g, '\\$&')}) Tj ET`
const seen = at(50, 780, 'Your results are fine.')

/** Where a stranger puts an order into a document, and whether people see it there. */
const PLACES: Record<string, { isSeen: boolean; make: (order: string) => Uint8Array }> = {
  'a line': { isSeen: true, make: (order) => pdfOf([`${seen} ${at(50, 700, order)}`]) },
  'the last page': { isSeen: true, make: (order) => pdfOf([seen, seen, at(50, 700, order)]) },
  'white text': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '1 1 1 rg')}`]) },
  'white text in gray': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '1 g')}`]) },
  'white text in CMYK': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '0 0 0 0 k')}`]) },
  'invisible text': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '3 Tr')}`]) },
  'clipped text': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '7 Tr')}`]) },
  'tiny text': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, 700, order, '', 0.4)}`]) },
  'text left of the page': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(-2000, 700, order)}`]) },
  'text below the page': { isSeen: false, make: (order) => pdfOf([`${seen} ${at(50, -500, order)}`]) },
  'the title, a comment and a script': { isSeen: false, make: withMetadata },
}

function withMetadata(order: string): Uint8Array {
  const words = order.replaceAll(/[()\\]/g, '\\$&')
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert) >> /Lang (en) >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Annots [6 0 R] /Resources << /Font << /F1 3 0 R >> >> >>',
    `<< /Length ${seen.length} >>\nstream\n${seen}\nendstream`,
    `<< /Type /Annot /Subtype /Text /Rect [50 600 80 630] /Contents (${words}) /T (${words}) >>`,
    `<< /Title (${words}) /Subject (${words}) >>`,
  ])
}

test('an order in a document is data where people see it, and nowhere where they don’t', async (t) => {
  await using f = await joinFamily()
  const { id: lovedOneId = '', inboxAddress = '' } = f.family.lovedOnes[0] ?? {}
  const owner = await signIn(f, f.sink, f.family.people.owner)
  await owner.submit('/settings/notes', { files: '1' })
  const mailer = openMailer(f.stack)
  const places = Object.entries(PLACES).map(([place, one], index) => ({
    place,
    ...one,
    order: orderOf(`9${index + 10}`),
  }))
  for (const { place, order, make } of places) {
    const file = attachment('report.pdf', 'application/pdf', Buffer.from(make(order)))
    await mailer.deliver(inboxAddress, multipartMail({ Subject: place }, 'mixed', [text('See the file.'), file]))
  }
  const list = async (query?: string) => {
    const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId, limit: 50, query })
    return json.result.structuredContent.messages
  }
  await until(async () => (await list('results fine')).length === places.length)
  for (const { id, subject } of await list()) {
    const { json } = await f.call(f.family.keys.owner, 'get_inbox_message', { lovedOneId, messageId: id })
    const { order, isSeen, place } = places.find((one) => one.place === subject) ?? t.fail(subject)
    const { attachments, untrusted, ...rest } = json.result.structuredContent
    t.true(untrusted.includes('attachments[].text'), place)
    t.is(attachments[0].text.includes(order), isSeen, place)
    t.regex(attachments[0].text, /^Your results are fine\./, place)
    t.false(JSON.stringify(rest).includes(order), place)
    t.is((await list(/order-\d+/.exec(order)?.[0])).length, isSeen ? 1 : 0, place)
  }
})
