import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageSize } from 'image-size'

export type PublicPage = { path: string; title: string; description: string; label: string; markdown: string }

const CONTENT = join(import.meta.dirname, '../../content')

/** The order in navigation and indexes. */
const ORDER = [
  '/',
  '/getting-started',
  '/about',
  '/for-providers',
  '/developers',
  '/our-brands',
  '/blog',
  '/support',
  '/privacy',
  '/terms',
]

/** Reads the Markdown pages and fills in each `{{word}}`. Throws when a page is malformed or not listed in `ORDER`. */
export async function loadPages(words: Readonly<Record<string, string>>): Promise<PublicPage[]> {
  const files = (await readdir(CONTENT)).filter((name) => name.endsWith('.md'))
  const pages = await Promise.all(
    files.map(async (name) => parsePage(await readFile(join(CONTENT, name), 'utf8'), words)),
  )
  for (const { path } of pages) if (!ORDER.includes(path)) throw new Error(`${path} is not listed in ORDER`)
  return ORDER.map((path) => pages.find((page) => page.path === path) ?? missing(path))
}

export function parsePage(source: string, words: Readonly<Record<string, string>>): PublicPage {
  const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(fillIn(source, words)) ?? []
  const matter = Object.fromEntries(head.split('\n').map((line) => line.split(/:\s+(.*)/).slice(0, 2)))
  const { path, title, description, label } = matter as Partial<Record<keyof PublicPage, string>>
  if (!path || !title || !description || !label) throw new Error('a page needs path, title, description and label')
  return { path, title, description, label, markdown: body.trimStart() }
}

/** `{{if word}}…{{end}}` stays when the word is not empty, `{{if not word}}…{{end}}` when it is. On lines of their own they leave no empty lines. */
const CONDITIONS = [/^\{\{if (not )?(\w+)\}\}\n(.*?)^\{\{end\}\}\n/gms, /\{\{if (not )?(\w+)\}\}(.*?)\{\{end\}\}/gs]

function fillIn(text: string, words: Readonly<Record<string, string>>): string {
  const choose = (_: string, not: string | undefined, word: string, part: string) => {
    const isSet = (words[word] ?? missing(`{{if ${word}}}`)) !== ''
    return isSet === (not === undefined) ? part : ''
  }
  const chosen = CONDITIONS.reduce((left, condition) => left.replaceAll(condition, choose), text).replaceAll(
    /\n{3,}/g,
    '\n\n',
  )
  return chosen.replaceAll(/\{\{(\w+)\}\}/g, (_, word: string) => words[word] ?? missing(`{{${word}}}`))
}

function missing(what: string): never {
  throw new Error(`${what} is missing`)
}

/** `media` is a media query, empty for the default image. */
export type Picture = { path: string; media: string; width: number; height: number; bytes: Buffer }

/** Variants by the path that pages use: the default first, then the most specific. */
export type Pictures = ReadonlyMap<string, readonly Picture[]>

const PICTURES = join(import.meta.dirname, '../../content/pictures')

/** Media queries by file name suffix, the most specific first. */
const MEDIA = {
  '.phone.dark': '(max-width: 40rem) and (prefers-color-scheme: dark)',
  '.phone': '(max-width: 40rem)',
  '.dark': '(prefers-color-scheme: dark)',
} as const

/** Reads `name.webp` and its variants, such as `name.dark.webp` and `name.phone.dark.webp`. */
export async function loadPictures(folder = PICTURES): Promise<Pictures> {
  const files: string[] = await readdir(folder).catch(() => [])
  const names = files.flatMap((file) => /^([a-z-]+)\.webp$/.exec(file)?.[1] ?? [])
  const pictures = names.map(async (name): Promise<[string, Picture[]]> => {
    const variants = ['', ...Object.keys(MEDIA)].filter((variant) => files.includes(`${name}${variant}.webp`))
    const read = variants.map(async (variant) => toPicture(`${name}${variant}.webp`, variant, folder))
    return [`/pictures/${name}.webp`, await Promise.all(read)]
  })
  return new Map(await Promise.all(pictures))
}

async function toPicture(file: string, variant: string, folder: string): Promise<Picture> {
  const bytes = await readFile(join(folder, file))
  const { width, height } = imageSize(bytes)
  return { path: `/pictures/${file}`, media: MEDIA[variant as keyof typeof MEDIA] ?? '', width, height, bytes }
}
