import test from 'ava'
import { loadPages, parsePage } from './load-pages.ts'
import { loadPictures } from './load-pictures.ts'
import { renderMarkdown, slugOf } from './render-markdown.ts'

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

test('a page without front matter, or with an unknown placeholder, prevents the start', (t) => {
  t.throws(() => parsePage('# Hello', {}), { message: /needs path/ })
  const source = '---\npath: /a\ntitle: A\ndescription: D\nlabel: L\n---\n{{nobody}}'
  t.throws(() => parsePage(source, {}), { message: /nobody/ })
})

test('each of the eight pages has one title, a description that fits a search result, and working links', async (t) => {
  const pages = await loadPages(words)
  t.is(pages.length, 8)
  const paths = new Set([
    '/llms.txt',
    '/.well-known/mcp/server.json',
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

test('headings have ids, wide blocks scroll, and a paragraph with only a link is a button', (t) => {
  t.is(slugOf('What assistants can do'), 'what-assistants-can-do')
  t.is(renderMarkdown('## For *you*').text, '<h2 id="for-you">For <em>you</em></h2>\n')
  t.regex(renderMarkdown('```\n<b>\n```').text, /^<pre tabindex="0"><code>&#60;b&#62;/)
  t.regex(renderMarkdown('| a |\n|---|\n| b |').text, /^<div class="wide" role="region"/)
  t.is(renderMarkdown('[Go](/a)').text, '<p><a class="button" href="/a">Go</a></p>\n')
})

function headingsOf(markdown: string): Set<string> {
  return new Set([...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading)))
}
