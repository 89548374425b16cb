import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentToConfig } from '@family-inbox/local-stack/config'
import test from 'ava'
import type { z } from 'zod'
import { everyReader } from './docs.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

const lines = read('deploy/systemd/family-care-inbox.env.example').split('\n')
const set = lines.filter((line) => line !== '' && !line.startsWith('#'))
const env = Object.fromEntries(set.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))

test('each example setting of the systemd unit is one that whoever reads it accepts', (t) => {
  for (const [name, value] of Object.entries(env)) {
    const schemas = Object.values(everyReader()).flatMap(({ shape }) => (shape[name] as z.ZodType | undefined) ?? [])
    t.true(schemas.length > 0, `${name} is no setting`)
    for (const schema of schemas) t.true(schema.safeParse(value).success, `${name}=${value}`)
  }
})

test('with the example settings an installation is public, and its door is closed', (t) => {
  const config = environmentToConfig(env)
  t.true(config.isPublic)
  t.like(config.env, { SIGN_UP: 'invited' })
  t.false(config.hasPublicSite)
})

test('the units and the guide call only scripts that exist', (t) => {
  const pages = ['docs/self-hosting.md', 'deploy/systemd/family-care-inbox.service']
  const called = pages.flatMap((page) =>
    [...read(page).matchAll(/npm (?:run (?:-s )?(?=[a-z]))?(start|test|(?<=run (?:-s )?)[a-z:]+)/g)].map(
      ([, name = '']) => name,
    ),
  )
  t.true(called.length > 3)
  for (const name of called) t.true(Object.hasOwn(scripts, name), name)
})

test('the guide, the units and Caddy speak of the same folders and the same port', (t) => {
  const unit = read('deploy/systemd/family-care-inbox.service')
  const guide = read('docs/self-hosting.md')
  for (const [, folder = ''] of unit.matchAll(/^(?:WorkingDirectory|EnvironmentFile)=(\S+)/gm))
    t.true(guide.includes(folder), folder)
  t.true(read('deploy/systemd/Caddyfile').includes(`127.0.0.1:${env.PORT}`))
})
