import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import { type Request, type Response, Router } from 'express'
import { type Compressed, chooseCoding, compress, type Effort } from './compression.ts'

/** The path holds a hash of the content, so browsers may cache it forever. */
type Asset = { path: string; type: string; content: Compressed }

export type Assets = {
  style: Asset
  script: Asset
  /** The one script of the public site, which sets no cookies. */
  copyScript: Asset
  /** Its address has no hash: it is what a browser is registered with. Browsers look for a new one without their cache. */
  pushWorker: Asset
  mark: Asset
  manifest: Asset
  /** Rendered from mark.svg by tests/site/make-icons.ts. */
  icon192: Asset
  icon512: Asset
  maskable512: Asset
  appleTouch180: Asset
}

const SOURCE = join(import.meta.dirname, '..')
/** In cascade order. */
const STYLE_PARTS = [
  'shell/tokens.css',
  'shell/base.css',
  'shell/blocks.css',
  'shell/forms.css',
  'shell/application.css',
  'shell/navigation.css',
  'shell/toast.css',
  'shell/urgent-bar.css',
  'inbox/inbox.css',
  'inbox/inbox-tools.css',
  'inbox/inbox-phone.css',
  'inbox/message.css',
  'inbox/sender.css',
  'inbox/attachments.css',
  'inbox/composer.css',
  'inbox/status.css',
  'inbox/message-phone.css',
  'inbox/next.css',
  'shell/panes.css',
  'forwarding/forwarding.css',
  'care-circle/care-circle.css',
  'emergency-sheet/emergency-sheet.css',
  'timeline/timeline.css',
  'timeline/chart.css',
  'appointments/appointments.css',
  'timeline/glance.css',
  'to-dos/to-dos.css',
  'settings/settings.css',
  'operator/operator.css',
  'shell/sidebar.css',
  'public/public.css',
]
const SCRIPT_PARTS = [
  'shell/time-zone.js',
  'shell/switcher.js',
  'shell/copy.js',
  'shell/send-once.js',
  'shell/one-time-code.js',
  'shell/passkeys.js',
  'shell/offline.js',
  'shell/toast.js',
  'shell/print.js',
  'emergency-sheet/keep-sheet.js',
  'inbox/composer.js',
  'inbox/attach.js',
  'inbox/writing.js',
  'inbox/frames.js',
  'inbox/mentions.js',
  'inbox/inbox.js',
  'inbox/keys.js',
  'forwarding/forwarding.js',
  'operator/operator.js',
  'settings/push.js',
]

export async function loadAssets(): Promise<Assets> {
  const [mark, style, script, copyScript, pushWorker] = await Promise.all([
    readPart('assets/icons/mark.svg'),
    readParts(STYLE_PARTS),
    readParts(SCRIPT_PARTS),
    readPart('shell/copy.js'),
    readPart('settings/push-worker.js'),
  ])
  const icons = {
    icon192: await iconAsset('icon-192'),
    icon512: await iconAsset('icon-512'),
    maskable512: await iconAsset('maskable-512'),
    appleTouch180: await iconAsset('apple-touch-180'),
  }
  const manifest = Buffer.from(renderManifest(icons))
  return {
    ...icons,
    style: toAsset('site', 'css', 'text/css; charset=utf-8', withoutComments(style)),
    script: toAsset('site', 'js', 'text/javascript; charset=utf-8', script),
    copyScript: toAsset('copy', 'js', 'text/javascript; charset=utf-8', copyScript),
    pushWorker: {
      ...toAsset('push-worker', 'js', 'text/javascript; charset=utf-8', pushWorker),
      path: '/push-worker.js',
    },
    mark: toAsset('mark', 'svg', 'image/svg+xml', mark),
    manifest: toAsset('application', 'webmanifest', 'application/manifest+json', manifest),
  }
}

async function readParts(paths: string[]): Promise<Buffer> {
  return Buffer.concat(await Promise.all(paths.map(readPart)))
}

/** They are for whoever edits the style. No string in it looks like one. */
function withoutComments(style: Buffer): Buffer {
  return Buffer.from(
    style
      .toString()
      .replaceAll(/\/\*.*?\*\//gs, '')
      .replaceAll(/\n\s*/g, '\n'),
  )
}

function readPart(path: string): Promise<Buffer> {
  return readFile(join(SOURCE, path))
}

async function iconAsset(name: string): Promise<Asset> {
  return toAsset(name, 'png', 'image/png', await readPart(`assets/icons/${name}.png`), 'least')
}

function toAsset(name: string, extension: string, type: string, content: Buffer, effort?: Effort): Asset {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
  return { path: `/assets/${name}.${hash}.${extension}`, type, content: compress(content, effort) }
}

function renderManifest(icons: Pick<Assets, 'icon192' | 'icon512' | 'maskable512'>): string {
  return JSON.stringify({
    id: '/',
    name: PRODUCT,
    short_name: 'Care Inbox',
    description: 'Your family’s shared inbox and care circle.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#faf8f4',
    theme_color: '#faf8f4',
    icons: [
      iconOf(icons.icon192, 192, 'any'),
      iconOf(icons.icon512, 512, 'any'),
      iconOf(icons.maskable512, 512, 'maskable'),
    ],
  })
}

function iconOf({ path, type }: Asset, size: number, purpose: 'any' | 'maskable') {
  return { src: path, type, sizes: `${size}x${size}`, purpose }
}

export function assetRouter(assets: Assets): Router {
  const router = Router()
  for (const asset of Object.values(assets)) router.get(asset.path, (req, res) => send(asset, req, res))
  return router
}

function send(asset: Asset, req: Request, res: Response): void {
  const coding = chooseCoding(req.get('accept-encoding'))
  const { bytes, etag } = asset.content[coding]
  res.set({
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ETag: etag,
    ...(coding !== 'identity' && { 'Content-Encoding': coding }),
  })
  if (req.fresh) res.status(304).end()
  else res.end(req.method === 'HEAD' ? undefined : bytes)
}
