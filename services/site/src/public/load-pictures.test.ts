import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { loadPictures, type Picture } from './load-pictures.ts'
import { renderMarkdown } from './render-markdown.ts'

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
