import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { type Sink, startMailSink } from '../_mail-sink.ts'
import { type ImageConfig, type ImageStore, openImageStore } from './_build-image.ts'
import { readCompose } from './_compose.ts'
import { type Container, startContainer } from './_container.ts'

export const IMAGE = 'localhost/family-care-inbox'
export const NEWER = 'localhost/family-care-inbox-newer'
/** The user of the image. */
const USER = 10_001

/** A machine that runs the household image with the settings of compose.yaml. */
export type Household = {
  images: ImageStore
  config: ImageConfig
  sink: Sink
  ports: { http: number; smtp: number }
  start(options?: StartOptions): Promise<Container>
  /** The folder of a volume, for what an operator copies into it. */
  volume(name: string): Promise<string>
}

export type StartOptions = {
  image?: string
  volume?: string
  env?: Record<string, string>
  /** Instead of the server, as with `docker compose run`. */
  command?: string[]
}

export async function openHousehold(cleanUp: AsyncDisposableStack): Promise<Household> {
  const images = cleanUp.use(await openImageStore())
  await images.build(IMAGE, 'deploy/image/Containerfile')
  const config = await images.configOf(IMAGE)
  const volumes = await mkdtemp(join(tmpdir(), 'family-inbox-volumes-'))
  await chmod(volumes, 0o755)
  cleanUp.defer(() => rm(volumes, { recursive: true, force: true }))
  const sink = cleanUp.use(await startMailSink())
  const ports = { http: await freePort(), smtp: await freePort() }
  const settings = {
    ...(await readCompose()).env,
    SMTP_URL: sink.url,
    PORT: `${ports.http}`,
    SMTP_PORT: `${ports.smtp}`,
  }
  /** As Docker makes a new volume from the folder in the image. */
  const volume = async (name: string) => {
    const folder = join(volumes, name)
    if (await mkdir(folder, { recursive: true })) {
      await chown(folder, USER, USER)
      await chmod(folder, 0o700)
    }
    return folder
  }
  return {
    images,
    config,
    sink,
    ports,
    volume,
    async start({ image = IMAGE, volume: name = 'first', env = {}, command }: StartOptions = {}) {
      const rootfs = await images.mount(image)
      const started = { ...config, ...(command && { Cmd: command }) }
      const options = { rootfs, config: started, env: { ...settings, ...env }, volume: await volume(name) }
      return cleanUp.use(await startContainer(options))
    },
  }
}

/** Builds the image of a version that has one migration more. */
export async function buildNewer(images: ImageStore): Promise<void> {
  const change = async (file: string, pattern: RegExp, into: (...groups: string[]) => string) => {
    const source = await readFile(join(REPOSITORY, file), 'utf8')
    const changed = source.replace(pattern, into)
    if (changed === source) throw new Error(`${file} is not as this test knows it`)
    return [`app/${file}`, changed] as const
  }
  const files = [
    await change(
      'services/inbox/src/migrations/index.ts',
      /(migrations = \[[^\]]*)\]/,
      (_, before) => `${before}  async () => {},\n]`,
    ),
    await change(
      'packages/local-stack/src/services.ts',
      /(name: 'inbox',[^}]*?schemaVersion: )(\d+)/,
      (_, before, version) => `${before}${Number(version) + 1}`,
    ),
  ]
  await images.extend(NEWER, IMAGE, Object.fromEntries(files))
}
