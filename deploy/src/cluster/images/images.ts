import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import type { Found, Search } from '@family-inbox/local-stack/binaries/found'
import { REPOSITORY, services } from '@family-inbox/local-stack/services'
import type { Programs } from '../programs/programs.ts'
import { addBusybox, addMailpit, addMongod, addNode, addProgram } from './contents.ts'
import { cachedLayer, type Layer } from './layers.ts'
import type { Images } from './registry.ts'
import { layOut, layOutSystem, SYSTEM_SCRIPTS, sourcesOf } from './service-image.ts'

type Image = { name: string; layers: Layer[]; config: object }

const VERSION = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')).version

const OWN_FILES = ['contents.ts', 'mailpit.cjs'].map((name) => join(import.meta.dirname, name))

/** Makes every image that the overlays name, and those of the cluster itself. */
export async function makeImages(programs: Programs, search: Search): Promise<Images> {
  const layers = await systemLayers(programs, search)
  const { base, node, system, coredns, metricsServer, traefik, nats, mongod, mailpit } = layers
  const images: Image[] = [
    { name: 'local/pause:1', layers: [base], config: { Cmd: ['sleep', 'infinity'], User: '65535:65535' } },
    { name: 'local/tools:1', layers: [base, node], config: { Cmd: ['sleep', 'infinity'], User: '10001:10001' } },
    { name: 'local/coredns:1', layers: [base, coredns], config: { Entrypoint: ['coredns'] } },
    { name: 'local/metrics-server:1', layers: [base, metricsServer], config: { Entrypoint: ['metrics-server'] } },
    ...(traefik ? [{ name: 'local/traefik:1', layers: [base, traefik], config: { Entrypoint: ['traefik'] } }] : []),
    { name: `library/${await namedIn('nats.yaml')}`, layers: [base, nats], config: { Entrypoint: ['nats-server'] } },
    { name: `library/${await namedIn('mongod.yaml')}`, layers: [base, node, mongod], config: { Cmd: ['mongod'] } },
    { name: await namedIn('mailpit.yaml'), layers: [base, node, mailpit], config: { Entrypoint: ['/mailpit'] } },
  ]
  for (const { name } of services) {
    const fill = (root: string) => {
      search.say(`Laying out the image of ${name}…`)
      return layOut(name, root)
    }
    const app = await cachedLayer(name, await sourcesOf(name), fill, search.env)
    images.push({ name: `family-inbox/${name}:${VERSION}`, layers: [system, app], config: serviceConfig(name) })
  }
  return toRegistry(images)
}

/** The image that a file of the overlay `local` names. */
async function namedIn(file: string): Promise<string> {
  const text = await readFile(join(REPOSITORY, 'deploy/k8s/overlays/local', file), 'utf8')
  const [, name] = /^ +image: (\S+)$/m.exec(text) ?? []
  if (name === undefined) throw new Error(`${file} names no image`)
  return name
}

/** Everything but our services. MongoDB and NATS are the versions that `npm start` runs. */
async function systemLayers({ debian, coredns, metricsServer, traefik }: Programs, { env, say }: Search) {
  const mongod = pathOf(await findMongod({ env: { ...env, MONGODB_URI: undefined }, say }))
  const nats = pathOf(await findNatsServer({ env: { ...env, NATS_URL: undefined }, say }))
  const recipe = await contentOf(OWN_FILES)
  const layer = async (name: string, made: string, fill: (root: string) => Promise<void>) =>
    cachedLayer(name, `${await versionOf(made)}-${recipe}`, fill, env)
  const program = (name: string, path: string) => layer(name, path, (root) => addProgram(root, path))
  return {
    base: await layer('base', join(debian, 'bin/busybox'), (root) => addBusybox(root, debian)),
    node: await layer('node', process.execPath, addNode),
    system: await cachedLayer(
      'system',
      `${await versionOf(process.execPath)}-${await contentOf(SYSTEM_SCRIPTS)}`,
      layOutSystem,
      env,
    ),
    coredns: await program('coredns', join(coredns, 'coredns')),
    metricsServer: await program('metrics-server', join(metricsServer, 'metrics-server')),
    traefik: traefik && (await program('traefik', join(traefik, 'traefik'))),
    nats: await program('nats', nats),
    mongod: await layer('mongod', mongod, (root) => {
      say('Getting mongosh with npm (180 MB)…')
      return addMongod(root, mongod)
    }),
    mailpit: await layer('mailpit', debian, addMailpit),
  }
}

/** As the Dockerfile has it. */
function serviceConfig(name: string): object {
  return {
    Env: ['NODE_ENV=production', 'MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=1048576'],
    WorkingDir: `/app/services/${name}`,
    User: '10001:10001',
    Cmd: ['node', 'src/main.ts'],
  }
}

function toRegistry(images: readonly Image[]): Images {
  const found: Images = { tags: {}, documents: {}, layers: {} }
  const add = (document: object) => {
    const text = JSON.stringify(document)
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    found.documents[digest] = text
    return { digest, size: Buffer.byteLength(text) }
  }
  for (const { name, layers, config } of images) {
    for (const { digest, path, size } of layers) found.layers[digest] = { path, size }
    const settings = add({
      architecture: 'amd64',
      os: 'linux',
      config: withPath(config),
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    })
    const manifest = add({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...settings },
      layers: layers.map(({ digest, size }) => ({ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest, size })),
    })
    found.tags[name] = manifest.digest
  }
  return found
}

function withPath(config: { Env?: string[] }): object {
  return { ...config, Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...(config.Env ?? [])] }
}

function pathOf(found: Found): string {
  if ('external' in found) throw new Error('A cluster runs stores of its own')
  return found.path
}

/** Changes with the file, without reading it. */
async function versionOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path)
  return createHash('sha256').update([path, size, mtimeMs].join()).digest('hex').slice(0, 12)
}

async function contentOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(await readFile(path))
  return hash.digest('hex').slice(0, 12)
}
