import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export type PublicPage = { path: string; title: string; description: string; label: string; markdown: string }

const CONTENT = join(import.meta.dirname, '../../content')

/** The order in navigation and indexes. */
const ORDER = ['/', '/getting-started', '/about', '/for-providers', '/our-brands', '/blog', '/privacy', '/terms']

/**
 * Reads the Markdown pages and fills in each `{{word}}`.
 * @throws when a page has no front matter, uses an unknown word, or is not listed in `ORDER`
 */
export async function loadPages(words: Readonly<Record<string, string>>): Promise<PublicPage[]> {
  const files = (await readdir(CONTENT)).filter((name) => name.endsWith('.md'))
  const pages = await Promise.all(
    files.map(async (name) => parsePage(await readFile(join(CONTENT, name), 'utf8'), words)),
  )
  for (const { path } of pages) if (!ORDER.includes(path)) throw new Error(`${path} is not listed in ORDER`)
  return ORDER.map((path) => pages.find((page) => page.path === path) ?? missing(path))
}

/** Parses front matter and Markdown. */
export function parsePage(source: string, words: Readonly<Record<string, string>>): PublicPage {
  const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? []
  const matter = Object.fromEntries(head.split('\n').map((line) => line.split(/:\s+(.*)/).slice(0, 2)))
  const { path, title, description, label } = matter as Partial<Record<keyof PublicPage, string>>
  if (!path || !title || !description || !label) throw new Error('a page needs path, title, description and label')
  return { path, title, description, label, markdown: fillIn(body.trimStart(), words) }
}

function fillIn(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => words[word] ?? missing(`{{${word}}}`))
}

function missing(what: string): never {
  throw new Error(`${what} is missing`)
}
