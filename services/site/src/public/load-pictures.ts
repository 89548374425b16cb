import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageSize } from 'image-size'

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
