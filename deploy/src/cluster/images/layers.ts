import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, sha256Of, withTemporaryDir } from '@family-inbox/local-stack/binaries/binary-cache'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { run } from '../system/run.ts'

export type Layer = { path: string; digest: string; size: number }

/** Versions of a layer that several checkouts, or a cluster that runs, may be using. */
const KEPT = 3

/** Makes a layer of an image, once per machine and version. @param fill writes its files into an empty folder */
export async function cachedLayer(
  name: string,
  version: string,
  fill: (root: string) => Promise<void>,
  env: Search['env'],
): Promise<Layer> {
  const folder = join(cacheDir(env), 'cluster-layers', name)
  const path = join(folder, `${version}.tar`)
  const known = await readFile(`${path}.json`, 'utf8').catch(() => undefined)
  await mkdir(folder, { recursive: true })
  const layer: Layer = known === undefined ? await makeLayer(path, fill, env) : JSON.parse(known)
  await writeFile(`${path}.json`, JSON.stringify(layer))
  await removeOldest(folder)
  return layer
}

async function makeLayer(path: string, fill: (root: string) => Promise<void>, env: Search['env']): Promise<Layer> {
  return withTemporaryDir(cacheDir(env), async (dir) => {
    const root = join(dir, 'root')
    await mkdir(root)
    await chmod(root, 0o755)
    await fill(root)
    const tar = join(dir, 'layer.tar')
    // The same files are the same layer, whoever wrote them and whenever.
    const asRoot = ['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--sort=name']
    await run(['tar', '--create', '--file', tar, ...asRoot, '--directory', root, '.'])
    const layer = { path, digest: `sha256:${await sha256Of(tar)}`, size: (await stat(tar)).size }
    await rename(tar, path)
    return layer
  })
}

/** Keeps those that were used last. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  const used = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  )
  for (const { path } of used.toSorted((a, b) => b.at - a.at).slice(KEPT)) {
    await rm(path.replace(/\.json$/, ''), { force: true })
    await rm(path, { force: true })
  }
}
