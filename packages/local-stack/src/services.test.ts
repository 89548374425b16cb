import { existsSync, globSync, readFileSync } from 'node:fs'
import { CRASH_AT } from '@family-inbox/service-kit/lifecycle/crash-point'
import test from 'ava'
import type { IdentityKeys } from './secrets.ts'
import { entryOf, environmentOf, REPOSITORY, type ServiceName, services, type Wiring } from './services.ts'

const wiring: Wiring = {
  processes: 'seven',
  env: { PATH: '/bin', SMTP_PORT: '2525', API_URL: 'http://localhost:8081', AWS_SECRET_ACCESS_KEY: 'not yours' },
  grpcPorts: { auth: 4001, 'care-circle': 4002, inbox: 4003 },
  httpPorts: { auth: 5001, site: 5007 },
  metricsPorts: { auth: 9001 },
  secrets: { INVITATION_KEY: 'only care-circle’s' },
  keys: {
    privateKeys: Object.fromEntries(services.map(({ name }) => [name, { kid: `${name}-1` }])),
    publicKeys: { keys: [{ kid: 'auth-1' }] },
  } as unknown as IdentityKeys,
  databaseUris: {
    inbox: 'mongodb://inbox:secret@127.0.0.1:27017/inbox',
    auth: 'mongodb://auth:other@127.0.0.1:27017/auth',
  },
  natsUrl: 'nats://127.0.0.1:4222',
}

const named = (name: ServiceName) => services.find((service) => service.name === name) ?? missing(name)

function missing(name: string): never {
  throw new Error(`no service ${name}`)
}

test('every service has a main.ts', (t) => {
  for (const service of services) t.true(existsSync(entryOf(service)), service.name)
})

test('a service that owns data gets only its own database', (t) => {
  t.is(environmentOf(named('inbox'), wiring).MONGODB_URI, wiring.databaseUris.inbox)
  t.is(environmentOf(named('inbox'), wiring).NATS_URL, wiring.natsUrl)
  t.is(environmentOf(named('gateway'), wiring).MONGODB_URI, undefined)
})

test('a service listens on its own port on this machine only, and knows the addresses of those it calls', (t) => {
  const env = environmentOf(named('inbox'), wiring)
  t.is(env.GRPC_HOST, '127.0.0.1')
  t.is(env.GRPC_PORT, '4003')
  t.is(env.CARE_CIRCLE_ADDRESS, '127.0.0.1:4002')
  t.is(env.INBOX_ADDRESS, undefined)
  t.is(env.GATEWAY_ADDRESS, undefined)
})

test('an HTTP service gets its port, and the others its address', (t) => {
  t.is(environmentOf(named('auth'), wiring).HTTP_PORT, '5001')
  t.is(environmentOf(named('gateway'), wiring).AUTH_HTTP_ADDRESS, 'http://127.0.0.1:5001')
  t.is(environmentOf(named('gateway'), wiring).HTTP_PORT, undefined)
})

test('a secret goes only to its own service', (t) => {
  t.is(environmentOf(named('care-circle'), wiring).INVITATION_KEY, 'only care-circle’s')
  t.is(environmentOf(named('inbox'), wiring).INVITATION_KEY, undefined)
})

test('a service gets only its own private key', (t) => {
  const env = environmentOf(named('inbox'), wiring)
  t.deepEqual(JSON.parse(env.SERVICE_KEY ?? ''), { kid: 'inbox-1' })
  t.deepEqual(JSON.parse(env.SERVICE_KEYS ?? ''), { keys: [{ kid: 'auth-1' }] })
})

test('a service gets only its own settings from the shell', (t) => {
  t.is(environmentOf(named('inbox'), wiring).SMTP_PORT, '2525')
  t.is(environmentOf(named('auth'), wiring).SMTP_PORT, undefined)
  t.is(environmentOf(named('auth'), wiring).AWS_SECRET_ACCESS_KEY, undefined)
  t.is(environmentOf(named('auth'), wiring).PATH, '/bin')
  t.is(environmentOf(named('auth'), wiring).NODE_ENV, 'production')
})

test('a service gets each of its settings from the shell, unless this machine sets it', (t) => {
  const own = environmentOf(named('gateway'), { ...wiring, env: {} })
  for (const service of services) {
    const settings = Object.keys(service.settings.shape)
    const env = Object.fromEntries(settings.map((name) => [name, `the shell’s ${name}`]))
    const given = environmentOf(service, { ...wiring, env })
    t.deepEqual(
      settings.filter((name) => given[name] === undefined),
      [],
      service.name,
    )
  }
  const given = environmentOf(named('gateway'), { ...wiring, env: { STALLED_DOWNLOAD_SECONDS: '20' } })
  t.deepEqual(given, { ...own, STALLED_DOWNLOAD_SECONDS: '20' })
})

test('in a single process, services call each other without a socket', (t) => {
  const env = environmentOf(named('gateway'), { ...wiring, processes: 'single' })
  t.is(env.AUTH_ADDRESS, 'in-process:auth')
  t.is(env.CARE_CIRCLE_ADDRESS, 'in-process:care-circle')
  t.is(env.SITE_HTTP_ADDRESS, 'http://127.0.0.1:5007')
})

test('a service with a process of its own is called over a socket, and so are the others from there', (t) => {
  const apart: Wiring = { ...wiring, processes: 'single', separate: ['inbox'] }
  t.is(environmentOf(named('gateway'), apart).AUTH_ADDRESS, 'in-process:auth')
  t.is(environmentOf(named('gateway'), apart).INBOX_ADDRESS, '127.0.0.1:4003')
  t.is(environmentOf(named('inbox'), apart).CARE_CIRCLE_ADDRESS, '127.0.0.1:4002')
})

test('a crash point reaches a service neither from the shell of npm start nor from a manifest', (t) => {
  const armed = { ...wiring, env: { ...wiring.env, [CRASH_AT]: 'message-stored' } }
  for (const service of services) t.is(environmentOf(service, armed)[CRASH_AT], undefined, service.name)
  const files = globSync(['deploy/**/*.{yaml,env,ts}', 'Dockerfile'], {
    cwd: REPOSITORY,
    exclude: (path) => path.includes('node_modules'),
  })
  t.true(files.length > 10)
  for (const file of files) t.false(readFileSync(`${REPOSITORY}/${file}`, 'utf8').includes(CRASH_AT), file)
})
