import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import test from 'ava'
import fc from 'fast-check'
import { loadHtmlConverter, looksLikeHtml } from './html-text.ts'

async function toText(html: string): Promise<string> {
  const convert = await loadHtmlConverter()
  return cleanText(convert(html))
}

test('links show their address, unless the text already does or it runs code', async (t) => {
  t.is(await toText('<a href="https://a.example/x">our page</a>'), 'our page (https://a.example/x)')
  t.is(await toText('<a href="https://a.example">https://a.example</a>'), 'https://a.example')
  t.is(await toText('<a href="mailto:a@b.example">write</a>'), 'write (a@b.example)')
  for (const href of ['javascript:alert(1)', ' JaVaScRiPt:x', 'data:text/html,x', '#top', '/relative']) {
    t.is(await toText(`<a href="${href}">text</a>`), 'text')
  }
})

test('cells, rows, lists, quotes and headings stay separate', async (t) => {
  t.is(
    await toText('<table><tr><th>Test</th><th>Value</th></tr><tr><td>LDL</td><td>90</td></tr></table>'),
    'Test Value\nLDL 90',
  )
  t.is(await toText('<ul><li>one</li><li>two</li></ul>'), ' * one\n * two')
  t.is(await toText('<h1>Plan</h1><p>a<br>b</p><blockquote>said</blockquote>'), 'Plan\n\na\nb\n\n> said')
})

test('hidden content does not become text', async (t) => {
  const hidden = [
    '<style>x{}</style>',
    '<script>x</script>',
    '<title>x</title>',
    '<img alt="x">',
    '<!-- x -->',
    '<template>x</template>',
  ]
  const styled = ['<p hidden>x</p>', '<p style="color:red;DISPLAY:NONE">x</p>', '<p style="display: none">x</p>']
  for (const html of [...hidden, ...styled, '<svg><text>x</text></svg>', '<select><option>x</select>']) {
    t.is(await toText(`<p>seen</p>${html}`), 'seen')
  }
})

test('text that styles hide does not become text, nor does the address of a hidden link', async (t) => {
  for (const html of [
    '<p style="display :\tnone !important">x</p>',
    '<p style="d\\69splay:/* */none">x</p>',
    '<p style="visibility:hidden">x</p>',
    '<p style="opacity:0">x</p>',
    '<div style="font-size:0"><b>x</b></div>',
    '<p style="font:0/0 a">x</p>',
    '<p style="color:#fff">x</p>',
    '<table bgcolor="#222"><tr><td style="color:#222222">x</td></tr></table>',
    '<font color="white">x</font>',
    '<p style="color:transparent">x</p>',
    '<div style="max-height:0;overflow:hidden">x</div>',
    '<div style="position:absolute;left:-9999px">x</div>',
    '<style>.a, p.b{display:none}</style><p class="c b">x</p>',
    '<a href="https://x.example" style="font-size:0">x</a>',
    '<datalist><option>x</datalist>',
    '</fi-first><fi-first></fi-first><p style="font-size:0">x</p>',
  ])
    t.is((await toText(`<p>seen</p>${html}`)).trim(), 'seen', html)
})

test('text in designs that only look as if they hid it stays', async (t) => {
  for (const html of [
    '<div style="font-size:0"><div style="font-size:14px">x</div></div>',
    '<table bgcolor="#005"><tr><td style="color:#fff">x</td></tr></table>',
    '<td style="background:url(a.png)"><p style="color:#fff">x</p></td>',
    '<td background="a.png" bgcolor="#fff"><p style="color:#fff">x</p></td>',
    '<style>.head{background:#005}</style><div class="head"><p style="color:#fff">x</p></div>',
    '<style>@media (max-width:600px){.wide{display:none}}</style><p class="wide">x</p>',
    '<div style="color:#fff"><a>x</a></div>',
    '<div style="color:#fff"><p style="color:#333">x</p></div>',
    '<div style="overflow:hidden;max-height:400px;opacity:.9">x</div>',
    '<p style="font-size:medium;left:-5px;line-height:0">x</p>',
    '<p style="color:#ccc">x</p>',
  ])
    t.is((await toText(html)).trim(), 'x', html)
})

test('entities become characters, and text that looks like a tag stays text', async (t) => {
  t.is(await toText('a &lt;b&gt; &amp; &#8364;5 &nbsp;&uuml;'), 'a <b> & €5  ü')
})

test('no markup, script or style remains from well-formed HTML', async (t) => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const element = fc.oneof(
    word,
    fc
      .tuple(fc.constantFrom('p', 'b', 'div', 'td', 'li', 'h2', 'a', 'x-y'), word)
      .map(([tag, text]) => `<${tag} class="q">${text}</${tag}>`),
    word.map((code) => `<script>var SECRET="<p>${code}</p>"</script>`),
    word.map((code) => `<style>.SECRET { content: "${code}" }</style><!-- SECRET ${code} -->`),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 20 }), async (pieces) => {
      t.notRegex(await toText(pieces.join('')), /[<>]|SECRET/)
    }),
    { numRuns: 300 },
  )
})

test('markup beyond the limit for one mail is not converted', async (t) => {
  const convert = await loadHtmlConverter()
  t.true(convert('<p>word</p>'.repeat(100_000)).length < 256 * 1024)
  t.is(convert('<p>more</p>'), '')
})

test('deeply nested quotes do not multiply the text', async (t) => {
  t.true((await toText('<blockquote>x<br>'.repeat(15_000))).length < 100_000)
})

test('an HTML document is recognized by its beginning', (t) => {
  t.true(looksLikeHtml('\n <!DOCTYPE html><p>'))
  t.true(looksLikeHtml('<html lang="en">'))
  t.false(looksLikeHtml('Use <html> tags'))
})
