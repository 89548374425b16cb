import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { loadPages, loadPictures, type Picture, parsePage } from './load-content.ts'
import { renderMarkdown, slugOf, withContents } from './render-markdown.ts'

const words = new Proxy({} as Record<string, string>, { get: (_, word) => `<${String(word)}>` })

test('a page has front matter and text, with every placeholder filled in', (t) => {
  const source = '---\npath: /a\ntitle: A: b\ndescription: D\nlabel: L\n---\n# Hello {{word}}\n'
  t.deepEqual(parsePage(source, { word: 'you' }), {
    path: '/a',
    title: 'A: b',
    description: 'D',
    label: 'L',
    markdown: '# Hello you\n',
  })
})

test('a part of a page can depend on a setting', (t) => {
  const source =
    '---\npath: /a\ntitle: A\ndescription: D{{if on}}, E{{end}}\nlabel: L\n---\n{{if on}}\n# On\n{{end}}\n{{if not on}}\n# Off\n{{end}}\nEnd {{word}}\n'
  t.like(parsePage(source, { on: 'yes', word: 'x' }), { description: 'D, E', markdown: '# On\nEnd x\n' })
  t.like(parsePage(source, { on: '', word: 'x' }), { description: 'D', markdown: '# Off\nEnd x\n' })
  t.throws(() => parsePage(source, { word: 'x' }), { message: /\{\{if on\}\} is missing/ })
})

test('a page without front matter, or with an unknown placeholder, prevents the start', (t) => {
  t.throws(() => parsePage('# Hello', {}), { message: /needs path/ })
  const source = '---\npath: /a\ntitle: A\ndescription: D\nlabel: L\n---\n{{nobody}}'
  t.throws(() => parsePage(source, {}), { message: /nobody/ })
})

test('each page has one title, a description that fits a search result, and working links', async (t) => {
  const pages = await loadPages(words)
  t.is(pages.length, 10)
  const paths = new Set([
    '/llms.txt',
    '/.well-known/mcp/server.json',
    '/.well-known/security.txt',
    ...(await loadPictures()).keys(),
    ...pages.map(({ path }) => path),
  ])
  const anchorsOf = new Map(pages.map(({ path, markdown }) => [path, headingsOf(markdown)]))
  for (const { path, markdown, description } of pages) {
    t.is(markdown.match(/^# /gm)?.length, 1, path)
    t.true(description.length >= 50 && description.length <= 200, `${path}: ${description.length}`)
    for (const [, target = ''] of markdown.matchAll(/\]\((\/[^)]*)\)/g)) {
      const [page = '', anchor] = target.split('#')
      t.true(paths.has(page), `${path} links to ${target}`)
      if (anchor) t.true(anchorsOf.get(page)?.has(anchor), `${path} links to ${target}`)
    }
  }
})

test('headings have ids, wide blocks scroll, and a paragraph with only links is buttons', (t) => {
  t.is(slugOf('What assistants can do'), 'what-assistants-can-do')
  t.is(renderMarkdown('## For *you*').text, '<h2 id="for-you">For <em>you</em></h2>\n')
  t.regex(
    renderMarkdown('```\n<b>\n```').text,
    /<pre tabindex="0"[^>]*><code id="code-1">&#60;b&#62;<.*<button [^>]*data-copies="code-1" hidden>/s,
  )
  t.regex(renderMarkdown('| a |\n|---|\n| b |').text, /^<div class="wide" role="region"/)
  t.is(renderMarkdown('[Go](/a)').text, '<p class="row"><a class="button" href="/a">Go</a></p>\n')
  t.regex(renderMarkdown('[Go](/a) [Come](/b)').text, /<a class="button second" href="\/b">Come<\/a><\/p>/)
  t.regex(renderMarkdown('See [there](/a)').text, /^<p>See <a href="\/a">/)
})

test('a long page begins with a list of its parts', (t) => {
  const long = '# Page\n\nWords.\n\n## One *a*\n\n## Two\n\n## Three\n\n## Four'
  const { text } = withContents(long, renderMarkdown(long))
  t.regex(
    text,
    /<p>Words\.<\/p>\s*<nav aria-label="On this page">.*<a href="#one-a">One a<\/a>.*#four.*<\/nav>\s*<h2 id="one-a">/s,
  )
  const short = '## One\n\n## Two'
  t.notRegex(withContents(short, renderMarkdown(short)).text, /<nav/)
})

function headingsOf(markdown: string): Set<string> {
  return new Set([...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading)))
}

/** A WebP header of this size; the rest is not read. */
function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(22, 4)
  bytes.write('WEBPVP8 ', 8, 'latin1')
  bytes.writeUInt32LE(10, 16)
  bytes.set([0x10, 0, 0, 0x9d, 0x01, 0x2a], 20)
  bytes.writeUInt16LE(width, 26)
  bytes.writeUInt16LE(height, 28)
  return bytes
}

const picture = (path: string, media: string): Picture => ({
  path,
  media,
  width: 800,
  height: 500,
  bytes: Buffer.alloc(0),
})

test('an image is read with its size and its variants for other screens', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'))
  await writeFile(join(folder, 'inbox.webp'), webp(1650, 1050))
  await writeFile(join(folder, 'inbox.dark.webp'), webp(1650, 1050))
  await writeFile(join(folder, 'inbox.phone.dark.webp'), webp(760, 1240))
  const pictures = await loadPictures(folder)
  await rm(folder, { recursive: true })
  t.deepEqual(
    pictures.get('/pictures/inbox.webp')?.map(({ path, media, width, height }) => [path, media, width, height]),
    [
      ['/pictures/inbox.webp', '', 1650, 1050],
      ['/pictures/inbox.phone.dark.webp', '(max-width: 40rem) and (prefers-color-scheme: dark)', 760, 1240],
      ['/pictures/inbox.dark.webp', '(prefers-color-scheme: dark)', 1650, 1050],
    ],
  )
})

test('a missing folder means no images, and an invalid image prevents the start', async (t) => {
  t.is((await loadPictures('/nowhere')).size, 0)
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'))
  await writeFile(join(folder, 'inbox.webp'), Buffer.from('not an image'))
  await t.throwsAsync(loadPictures(folder), { message: /unsupported/ })
  await rm(folder, { recursive: true })
})

test('a page picks the image for the screen, with its size and alternative text', (t) => {
  const [light, dark] = [
    picture('/pictures/a.webp', ''),
    picture('/pictures/a.dark.webp', '(prefers-color-scheme: dark)'),
  ]
  const pictures = new Map([['/pictures/a.webp', [light, dark]]])
  t.is(
    renderMarkdown('![The inbox](/pictures/a.webp)', pictures).text,
    '<p><picture><source media="(prefers-color-scheme: dark)" srcset="/pictures/a.dark.webp" width="800" height="500"><img src="/pictures/a.webp" alt="The inbox" width="800" height="500"></picture></p>\n',
  )
  t.throws(() => renderMarkdown('![x](/pictures/b.webp)', pictures), { message: /unknown image/ })
})
