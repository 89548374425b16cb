import test from 'ava'
import { createMarkupRenderer } from './markup-renderer.ts'

const mail = (markup: string) =>
  new Uint8Array(Buffer.from(`Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${markup}`))

for (const [size, repeat] of [
  ['small', 1],
  ['large', 20_000],
] as const)
  test(`a ${size} mail is sanitized`, async (t) => {
    // Starting a thread is slow on a busy machine.
    await using renderer = createMarkupRenderer(60_000)
    const rendered = await renderer.render(
      'a',
      mail('<p onclick=x>Hello</p>'.repeat(repeat)),
      AbortSignal.timeout(60_000),
    )
    t.true(rendered?.html === '<p>Hello</p>'.repeat(repeat))
  })

test('a plain mail has no markup', async (t) => {
  await using renderer = createMarkupRenderer(60_000)
  t.is(
    await renderer.render('a', new Uint8Array(Buffer.from('Subject: x\r\n\r\nHello')), AbortSignal.timeout(60_000)),
    undefined,
  )
})
