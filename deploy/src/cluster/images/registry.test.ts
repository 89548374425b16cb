import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import test from 'ava'
import { type Images, startRegistry } from './registry.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

test('an image is found by its tag and by its digest, its layers by theirs, and nothing else is there', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-registry-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const layer = join(dir, 'layer.tar')
  await writeFile(layer, 'files')
  const document = JSON.stringify({ mediaType: MANIFEST })
  const images: Images = {
    tags: { 'family-inbox/auth:1': 'sha256:manifest' },
    documents: { 'sha256:manifest': document, 'sha256:settings': '{}' },
    layers: { 'sha256:layer': { path: layer, size: 5 } },
  }
  await writeFile(join(dir, 'images.json'), JSON.stringify(images))
  const address = `127.0.0.1:${await freePort()}`
  const server = await startRegistry(join(dir, 'images.json'), address)
  t.teardown(() => server.close())
  const get = (path: string, method = 'GET') => fetch(`http://${address}/v2/${path}`, { method })

  t.is((await get('')).status, 200)
  for (const reference of ['1', 'sha256:manifest']) {
    const answer = await get(`family-inbox/auth/manifests/${reference}?ns=docker.io`)
    t.is(answer.headers.get('content-type'), MANIFEST)
    t.is(answer.headers.get('docker-content-digest'), 'sha256:manifest')
    t.is(await answer.text(), document)
  }
  const head = await get('family-inbox/auth/manifests/1', 'HEAD')
  t.deepEqual([head.status, head.headers.get('content-length')], [200, `${document.length}`])
  t.is(await (await get('family-inbox/auth/blobs/sha256:layer')).text(), 'files')
  t.is(await (await get('family-inbox/auth/blobs/sha256:settings')).text(), '{}')
  for (const path of ['family-inbox/auth/manifests/2', 'family-inbox/auth/blobs/sha256:other', '_catalog']) {
    t.is((await get(path)).status, 404, path)
  }
})
