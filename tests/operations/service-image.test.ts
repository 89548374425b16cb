import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys } from '@family-inbox/deploy/key-folder'
import { freePort } from '@family-inbox/local-stack/free-port'
import test from 'ava'
import { send } from '../_family.ts'
import { readUntil } from '../_wait.ts'
import { CAN_BUILD_IMAGES, openImageStore } from './_build-image.ts'
import { startContainer } from './_container.ts'

/** Skipped where Debian's buildah, runc and mmdebstrap are not installed, its packages are out of reach, or without root. */
const withImages = CAN_BUILD_IMAGES ? test : test.skip

const IMAGE = 'localhost/family-inbox/gateway'
const MB = 1e6

/** Node.js and what the kernel starts to load it. */
const EXECUTABLE = /^usr\/local\/bin\/node$|^lib(64)?\/([\w-]+\/)?(ld-linux-[\w-]+\.so\.\d|libc\.so\.6)$/

withImages('the image of a service runs it and has no shell, no npm and no package manager', async (t) => {
  await using stack = new AsyncDisposableStack()
  const images = stack.use(await openImageStore())
  await images.build(IMAGE, 'Dockerfile', { SERVICE: 'gateway' })
  const rootfs = await images.mount(IMAGE)
  t.log(`${Math.round((await images.bytesOf(IMAGE)) / MB)} MB`)

  const outside = await executablesIn(rootfs)
  t.deepEqual(
    outside.filter((path) => !EXECUTABLE.test(path)),
    [],
  )
  t.true(outside.includes('usr/local/bin/node'))
  const files = await readdir(rootfs, { recursive: true, withFileTypes: true })
  const names = new Set(files.map(({ name }) => name))
  for (const name of ['sh', 'bash', 'busybox', 'npm', 'npx', 'corepack', 'pnpm', 'apt', 'dpkg-query', 'perl'])
    t.false(names.has(name), name)

  const listed = JSON.parse(await readFile(join(rootfs, 'app/sbom.cdx.json'), 'utf8'))
  const parts = listed.components.map(({ name }: { name: string }) => name)
  for (const name of ['node', 'libc6', 'libstdc++6', 'express', '@grpc/grpc-js']) t.true(parts.includes(name), name)
  t.false(parts.includes('apt'))

  const { config, port } = await gatewaySettings(stack)
  const image = await images.configOf(IMAGE)
  const server = stack.use(await startContainer({ rootfs, config: image, env: config }))
  await readUntil(
    () => send(`http://127.0.0.1:${port}/livez`).catch(() => ({ status: 0, text: server.output() })),
    ({ status }) => status === 200,
  )
  t.true((await server.processes()).every(({ uid }) => uid === 10_001))
  t.regex((await server.exec('sh', '-c', 'id')).output, /executable file not found/)
  t.not((await server.exec('node', '-e', 'fs.writeFileSync("/app/new", "")')).code, 0)
  await server.signal('TERM')
  t.is(await server.ended(), 0, server.output())
})

/** Files outside /app that can be executed, by their paths in the image. */
async function executablesIn(root: string, folder = ''): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (path === 'app') continue
    if (entry.isDirectory()) found.push(...(await executablesIn(root, path)))
    else if (entry.isSymbolicLink() || (await stat(join(root, path))).mode & 0o111) found.push(path)
  }
  return found
}

/** On ports of this machine, with nobody behind them. */
async function gatewaySettings(stack: AsyncDisposableStack) {
  const keys = await mkdtemp(join(tmpdir(), 'family-inbox-keys-'))
  stack.defer(() => rm(keys, { recursive: true }))
  await makeKeys(keys, { mongodbUri: 'mongodb://127.0.0.1:1/?replicaSet=rs0' })
  const read = (file: string) => readFile(join(keys, file), 'utf8')
  const port = await freePort()
  const others = ['AUTH', 'CARE_CIRCLE', 'INBOX', 'SANDBOX', 'PIPE', 'SITE'].map((name) => [
    `${name}_ADDRESS`,
    '127.0.0.1:1',
  ])
  const config = {
    ...Object.fromEntries(others),
    PORT: `${port}`,
    HTTP_HOST: '127.0.0.1',
    METRICS_PORT: `${await freePort()}`,
    METRICS_HOST: '127.0.0.1',
    SERVICE_KEY: await read('gateway/SERVICE_KEY'),
    SERVICE_KEYS: await read('service-keys/SERVICE_KEYS'),
  }
  return { config, port }
}
