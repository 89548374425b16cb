import test from 'ava'
import fc from 'fast-check'
import { html, trustedHtml, webAddress } from './html.ts'

test('values are escaped', (t) => {
  t.is(html`<p>${'<script>alert("1")</script>'}</p>`.text, '<p>&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;</p>')
  t.is(
    html`<a title="${`"><img src=x onerror='1'>`}">`.text,
    '<a title="&#34;&#62;&#60;img src=x onerror=&#39;1&#39;&#62;">',
  )
})

test('no text can end its attribute or element', (t) => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"'`]/.test(html`${text}`.text)))
  t.pass()
})

test('nested markup and lists of markup are not escaped', (t) => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`)
  t.is(html`<ul>${items}</ul>`.text, '<ul><li>a</li><li>&#60;b&#62;</li></ul>')
  t.is(html`${trustedHtml('<em>ours</em>')}`.text, '<em>ours</em>')
})

test('empty values render nothing, and zero renders 0', (t) => {
  t.is(html`[${undefined}${null}${false}${''}]`.text, '[]')
  t.is(html`[${0}]`.text, '[0]')
})

for (const address of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'vbscript:x', '/here', ''])
  test(`${JSON.stringify(address)} is not a safe link`, (t) => {
    t.is(webAddress(address), undefined)
  })

test('an https address is a safe link', (t) => {
  t.is(webAddress('https://claude.ai/about'), 'https://claude.ai/about')
})
