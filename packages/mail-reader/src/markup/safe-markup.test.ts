import test from 'ava'
import fc from 'fast-check'
import { safeMarkup } from './safe-markup.ts'

const hostile: [string, string][] = [
  ['a script', '<script>alert(1)</script><p>Hello</p>'],
  ['a handler', '<p onclick="alert(1)" onmouseover=alert(1)>Hello</p>'],
  ['a picture that fails', '<img src=x onerror=alert(1)><p>Hello</p>'],
  ['a script in a link', '<p>Hello</p><a href="javascript:alert(1)">x</a><a href=" java\nscript:alert(1)">x</a>'],
  ['a frame', '<iframe src="https://evil.example"></iframe><object data=x></object><embed src=x><p>Hello</p>'],
  ['a form', '<form action="https://evil.example"><input name=q><button>Send</button></form><p>Hello</p>'],
  [
    'a base and a redirect',
    '<base href="https://evil.example"><meta http-equiv=refresh content="0;url=x"><p>Hello</p>',
  ],
  ['a style sheet', '<link rel=stylesheet href="https://evil.example/x.css"><style>@import "x"</style><p>Hello</p>'],
  [
    'a picture from elsewhere',
    '<img src="https://evil.example/pixel.gif" srcset="https://evil.example/2x"><p>Hello</p>',
  ],
  ['a picture from elsewhere without scheme', '<img src="//evil.example/pixel.gif"><p>Hello</p>'],
  [
    'a background',
    '<table background="https://evil.example/b.png"><tr><td style="background:url(//evil.example)">Hello</td></tr></table>',
  ],
  ['a vector drawing', '<svg><script>alert(1)</script><image href="https://evil.example/x"/></svg><p>Hello</p>'],
  [
    'mathematics',
    '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)></style></mglyph></mtext></math><p>Hello</p>',
  ],
  ['a video', '<video poster="https://evil.example/p"><source src="https://evil.example/v"></video><p>Hello</p>'],
  ['a picture with a script for data', '<img src="data:text/html,<script>alert(1)</script>"><p>Hello</p>'],
  ['a position over everything', '<p style="position:fixed;inset:0;z-index:9">Hello</p>'],
]
for (const [what, markup] of hostile)
  test(`${what} neither runs nor loads anything, and the text stays`, (t) => {
    const { html } = safeMarkup(markup, [])
    t.true(html.includes('Hello'))
    t.notRegex(
      html,
      /script|onerror|onclick|onmouse|evil\.example|<(iframe|object|form|input|base|meta|link|style|svg|video|img)|position/i,
    )
  })

test('a link opens in a new tab without a referrer', (t) => {
  const { html } = safeMarkup('<a href="https://clinic.example/portal" target="_top">Portal</a>', [])
  t.is(html, '<a href="https://clinic.example/portal" target="_blank" rel="noopener noreferrer nofollow">Portal</a>')
})

test('an attached image is shown, and a remote image is reported as removed', (t) => {
  const picture = { contentId: 'logo@clinic', contentType: 'image/png', content: new Uint8Array([1, 2, 3]) }
  const own = safeMarkup('<img src="cid:logo%40clinic" alt="Logo">', [picture])
  t.deepEqual(own, { html: '<img alt="Logo" src="data:image/png;base64,AQID" />', remoteContentRemoved: false })
  const drawing = { ...picture, contentType: 'image/svg+xml' }
  t.is(safeMarkup('<img src="cid:logo@clinic">', [drawing]).html, '')
  t.true(safeMarkup('<img src="https://evil.example/x">', []).remoteContentRemoved)
})

test('markup ends where only an attacker nests so deep', (t) => {
  const deep = (levels: number) => `${'<div>'.repeat(levels)}<p>inside</p>`
  t.true(safeMarkup(deep(500), []).html.includes('inside'))
  t.false(safeMarkup(deep(5000), []).html.includes('inside'))
  t.true(safeMarkup(`${'<p>a<br><li>b<tr><td>'.repeat(5000)}<p>inside</p>`, []).html.includes('inside'))
  t.true(safeMarkup(`${'<div>a</div>'.repeat(5000)}<p>inside</p>`, []).html.includes('inside'))
})

test('simple styles stay', (t) => {
  const { html } = safeMarkup('<td style="color:#333; padding: 4px 8px; text-align:center">x</td>', [])
  t.true(html.includes('color:#333;padding:4px 8px;text-align:center'))
})

test('a blocked image leaves its description', (t) => {
  const { html } = safeMarkup('<p><img src="https://evil.example/x" alt="Visit & meal">.</p>', [])
  t.is(html, '<p><span title="Visit &amp; meal">Visit &amp; meal</span>.</p>')
  t.is(safeMarkup('<p><img src="cid:gone" alt=""></p>', []).html, '<p></p>')
})

const INVISIBLE = /color:#(?:fff|FFFFFF)/
const colored: [string, string, RegExp, RegExp?][] = [
  ['a background shorthand', '<td style="background:#003366;color:#fff">x</td>', /background-color:rgb\(0, 51, 102\)/],
  [
    'a background with an image',
    '<td style="background:navy url(https://evil.example/b.png) no-repeat;color:#fff">x</td>',
    /background-color:rgb\(0, 0, 128\)/,
    /evil/,
  ],
  ['white text on a removed image', '<p style="background:url(b.png);color:#fff">x</p>', /color:#1D2327/],
  ['white text of a removed style sheet', '<style>p{background:navy}</style><p style="color:white">x</p>', /#1D2327/],
  ['white text without a background', '<font color="#FFFFFF">x</font>', /style="color:#1D2327"/],
  [
    'the background of the whole mail',
    '<body bgcolor="#102030" text="white"><p>x</p></body>',
    /<div style="color:white;background-color:rgb\(16, 32, 48\)"><p>x/,
  ],
  [
    'a dark cell in a row with white text',
    '<tr style="color:#fff"><td style="background:#000">x</td></tr>',
    /<tr style="color:#1D2327"><td style="background-color:rgb\(0, 0, 0\);color:#FFFFFF">/,
  ],
  [
    'a link on a dark background',
    '<div style="background:#001"><a href="https://a.example">x</a></div>',
    /<a [^>]*#FFFFFF/,
  ],
  [
    'a translucent background',
    '<p style="background:rgba(0,0,0,.05)">x</p>',
    /background-color:rgba\(0, 0, 0, 0\.05\)/,
    /;color|"color/,
  ],
]
for (const [what, markup, expected, unexpected = INVISIBLE] of colored)
  test(`${what} stays legible`, (t) => {
    const { html } = safeMarkup(`<table>${markup}</table>`, [])
    t.regex(html, expected)
    if (unexpected !== INVISIBLE || !html.includes('background-color')) t.notRegex(html, unexpected)
  })

test('no markup results in a script, a handler or a remote address', (t) => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '=',
    ' ',
    '/',
    'img',
    'src',
    'script',
    'svg',
    'style',
    'onload',
    'a',
    'href',
    'javascript:',
    '//evil.example',
    '<!--',
    '-->',
    ']]>',
    '<![CDATA[',
    '&#x3c;',
    '\u0000',
  )
  const property = fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
    const { html } = safeMarkup(pieces.join(''), [])
    return !/<script|<svg|<style|<[^>]*\son\w+=|<[^>]*javascript:|<img[^>]*src="?\/\//i.test(html)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 2000 }))
})
