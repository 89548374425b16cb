import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, sha256Of, withTemporaryDir } from '@family-inbox/local-stack/binaries/binary-cache'
import type { Search } from '@family-inbox/local-stack/binaries/found'
import { run } from '../run.ts'

export type Layer = { path: string; digest: string; size: number }

/** Makes a layer of an image, once per machine and `id`. @param fill writes its files into an empty folder */
export async function cachedLayer(
  id: string,
  fill: (root: string) => Promise<void>,
  env: Search['env'],
): Promise<Layer> {
  const cache = cacheDir(env)
  const path = join(cache, 'cluster-layers', `${id}.tar`)
  const known = await readFile(`${path}.json`, 'utf8').catch(() => undefined)
  if (known !== undefined) return JSON.parse(known)
  await mkdir(join(cache, 'cluster-layers'), { recursive: true })
  return withTemporaryDir(cache, async (dir) => {
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
    await writeFile(`${path}.json`, JSON.stringify(layer satisfies Layer))
    return layer
  })
}
