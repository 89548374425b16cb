import { type Request, type Response, Router } from 'express'
import type { Asset, Assets } from '../assets.ts'
import { chooseCoding } from './compressed.ts'

/** Serves the style sheet and the mark: compressed beforehand, under names that change with their content, kept for good. */
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
