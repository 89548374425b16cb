import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { environmentToConfig } from '@family-inbox/local-stack/config'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import test from 'ava'
import { readCompose } from './_compose.ts'

const read = (path: string) => readFile(join(REPOSITORY, path), 'utf8')
const linesOf = (text: string) => text.trim().split('\n')

test('what a family has to edit are six lines, and compose.yaml has at most 25', async (t) => {
  t.is(linesOf(await read('.env.example')).length, 6)
  t.true(linesOf(await read('compose.yaml')).length <= 25)
})

test('with compose.yaml and the example an installation is public, and its door is closed', async (t) => {
  const { env } = await readCompose()
  const config = environmentToConfig(env)
  t.true(config.isPublic && config.hasBackups)
  t.false(config.hasPublicSite)
  t.like(config.env, { SIGN_UP: 'invited', SANDBOX: 'off', MAIL_DOMAIN: 'in.family.example' })
  t.deepEqual(config.urls, {
    base: 'https://family.example',
    api: 'https://api.family.example',
    inbox: 'https://inbox.family.example',
  })
})

test('compose.yaml and the systemd unit run the same: one process, these settings, this proxy', async (t) => {
  const { env, services } = await readCompose()
  const lines = linesOf(await read('deploy/systemd/family-care-inbox.env.example')).filter((line) =>
    /^[A-Z]/.test(line),
  )
  const unit = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)))
  const { DOMAIN, DATA_DIR, HTTP_HOST, NODE_ENV, NODE_COMPILE_CACHE, SMTP_URL, ...settings } = env
  // The same provider by its name.
  const { SMTP_PROVIDER, SMTP_USER, SMTP_PASSWORD, ...others } = unit
  // In a container no program may listen on port 25, but Docker may.
  t.true(SMTP_URL !== undefined && SMTP_PROVIDER !== undefined)
  t.deepEqual(settings, { ...others, SMTP_PORT: '2525' })
  t.regex(await read('deploy/systemd/family-care-inbox.service'), /^ExecStart=.*--single$/m)
  const grace = /^TimeoutStopSec=(\d+)$/m.exec(await read('deploy/systemd/family-care-inbox.service'))?.[1]
  t.is(services.server.stop_grace_period, `${grace}s`)
  const caddyfile = await read('deploy/systemd/Caddyfile')
  t.true(caddyfile.includes(`{$DOMAIN:${DOMAIN}}`) && caddyfile.includes('{$UPSTREAM:127.0.0.1:'))
})

test('compose.yaml opens the ports, and keeps the volume, of the image', async (t) => {
  const { services } = await readCompose()
  const image = await read('deploy/image/Containerfile')
  t.regex(image, /^EXPOSE 8080 2525$/m)
  t.is(services.caddy.environment.UPSTREAM, 'server:8080')
  t.deepEqual(services.server.ports, ['25:2525'])
  t.deepEqual(services.server.volumes, ['data:/data'])
  t.regex(image, /^VOLUME \/data$/m)
})

test('the image takes Node.js and the stores of the other images', async (t) => {
  const image = await read('deploy/image/Containerfile')
  const dockerfile = await read('Dockerfile')
  const [node = 'none'] = /^ARG NODE_IMAGE=.*$/m.exec(dockerfile) ?? []
  t.true(image.includes(node))
  for (const store of ['mongod', 'nats']) {
    const [, name = 'none'] = /image: (\S+)/.exec(await read(`deploy/k8s/overlays/local/${store}.yaml`)) ?? []
    t.true(image.includes(`_IMAGE=${name}\n`), name)
  }
  const { version } = JSON.parse(await read('package.json'))
  t.true(image.includes(`image.version="${version}"`))
})
