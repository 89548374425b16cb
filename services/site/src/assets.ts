import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Compressed, compress } from './http/compressed.ts'

/** A file pages refer to. Its name holds a hash of its content, so that browsers keep it for good. */
export type Asset = { path: string; type: string; content: Compressed }

export type Assets = { style: Asset; mark: Asset }

const STYLES = join(import.meta.dirname, 'styles')

/** Reads the files, joins the style sheet from its parts (the tokens first) and compresses everything once. */
export async function loadAssets(): Promise<Assets> {
  const [mark, ...styles] = await Promise.all(
    ['mark.svg', 'tokens.css', 'base.css', 'forms.css', 'application.css', 'public.css'].map((name) =>
      readFile(join(STYLES, name)),
    ),
  )
  return {
    style: await toAsset('site', 'css', 'text/css; charset=utf-8', Buffer.concat(styles)),
    mark: await toAsset('mark', 'svg', 'image/svg+xml', mark as Buffer),
  }
}

async function toAsset(name: string, extension: string, type: string, content: Buffer): Promise<Asset> {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
  return { path: `/assets/${name}.${hash}.${extension}`, type, content: await compress(content) }
}
