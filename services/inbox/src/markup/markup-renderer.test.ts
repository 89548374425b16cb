import test from 'ava'
import { createMarkupRenderer } from './markup-renderer.ts'

const mail = (markup: string) =>
  new Uint8Array(Buffer.from(`Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${markup}`))

for (const [size, repeat] of [
  ['small', 1],
  ['large', 20_000],
] as const)
  test(`a ${size} mail is made safe`, async (t) => {
    await using renderer = createMarkupRenderer()
    // A machine under load may take longer to start a thread than a call has.
    let rendered = ''
    for (let tries = 0; rendered === '' && tries < 20; tries += 1)
      rendered = await renderer.render(mail('<p onclick=x>Hello</p>'.repeat(repeat))).then(
        (markup) => markup?.html ?? '',
        () => '',
      )
    t.is(rendered, '<p>Hello</p>'.repeat(repeat))
  })

test('a mail without markup has none', async (t) => {
  await using renderer = createMarkupRenderer()
  t.is(await renderer.render(new Uint8Array(Buffer.from('Subject: x\r\n\r\nHello'))), undefined)
})
