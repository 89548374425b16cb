import { PreviewKind } from '@family-inbox/proto/inbox/v1/inbox'
import { type DocumentProblem, type Drawn, problemOf } from './drawn.ts'
import { endThread } from './end-thread.ts'

export type PreviewTask = {
  kind: PreviewKind
  content: Uint8Array
  page: number
  isLarge: boolean
}

export type Preview = { drawing: Drawn }

/** Longest side in pixels: of a thumbnail on a sharp screen, and of a page that is read. */
const SIDES = { small: 440, large: 1400 }

/** Runs in a worker thread and tells how long it took. Throws when the content cannot be shown. */
export async function makePreview(task: PreviewTask): Promise<{ preview: Preview | DocumentProblem; ms: number }> {
  const startedAt = performance.now()
  const preview = await draw(task)
    .then((drawing) => ({ drawing }))
    .catch(problemOf)
    .catch(endThread)
  return { preview, ms: performance.now() - startedAt }
}

/** Each thread loads only the library it needs. */
async function draw({ kind, content, page, isLarge }: PreviewTask): Promise<Drawn> {
  const side = isLarge ? SIDES.large : SIDES.small
  if (kind === PreviewKind.PAGES) return (await import('./draw-page.ts')).drawPage(content, page, side)
  return (await import('./draw-picture.ts')).drawPicture(content, side)
}
