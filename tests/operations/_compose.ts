import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { parse } from 'yaml'

type ComposeFile = {
  services: Record<'server' | 'caddy', { environment: Record<string, string | number>; [key: string]: unknown }>
}

export type Compose = ComposeFile & {
  /** What the server gets from its image, from `compose.yaml` and from `.env.example`. */
  env: Record<string, string>
}

export async function readCompose(): Promise<Compose> {
  const compose = parse(await readFile(join(REPOSITORY, 'compose.yaml'), 'utf8')) as ComposeFile
  const image = await readFile(join(REPOSITORY, 'deploy/image/Containerfile'), 'utf8')
  const [, variables = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(image) ?? []
  const ofImage = Object.fromEntries([...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
  const lines = (await readFile(join(REPOSITORY, '.env.example'), 'utf8')).trim().split('\n')
  const example = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2))) as Record<string, string>
  const set = Object.entries(compose.services.server.environment)
  const filledIn = set.map(([name, value]) => [name, `${value}`.replace(/\$(\w+)/g, (_, used) => example[used] ?? '')])
  return { ...compose, env: { ...ofImage, ...example, ...Object.fromEntries(filledIn) } }
}
