import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { z } from 'zod'
import { backendSettings, natsTlsDir, secureMongodbUri } from './base-config.ts'
import { address, ConfigError, httpUrl, parseSettings } from './config.ts'

const settings = z.object({
  INBOX_ADDRESS: address('inbox'),
  LIMIT: z.coerce.number().int().default(60).describe('the limit, for example 60'),
  INBOX_URL: httpUrl.default('http://localhost:8082').describe('the address, for example https://inbox.example'),
})

test('an unset or empty setting has its default', (t) => {
  const values = parseSettings(settings, { INBOX_ADDRESS: 'dns:///inbox:50051', LIMIT: '' })
  t.deepEqual(values, { INBOX_ADDRESS: 'dns:///inbox:50051', LIMIT: 60, INBOX_URL: 'http://localhost:8082' })
})

test('an error names the setting, what was expected and an example', (t) => {
  const error = t.throws(() => parseSettings(settings, { LIMIT: 'many', INBOX_URL: 'ftp://x' }), {
    instanceOf: ConfigError,
  })
  t.deepEqual(error?.message.split('\n'), [
    'INBOX_ADDRESS is missing: the gRPC address of inbox, for example dns:///inbox:50051',
    'LIMIT is wrong: the limit, for example 60',
    'INBOX_URL is wrong: the address, for example https://inbox.example',
  ])
})

test('an error does not show the wrong value, which may be secret', (t) => {
  const error = t.throws(() => parseSettings(z.object(backendSettings), { SERVICE_KEY: 'correct horse' }))
  t.regex(error?.message ?? '', /^SERVICE_KEY is wrong: the private key of this service/)
  t.notRegex(error?.message ?? '', /correct horse/)
})

test('a setting may come from a file, without its final line break', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-settings-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const file = join(dir, 'LIMIT')
  await writeFile(file, '7\n')
  const env = { INBOX_ADDRESS: 'dns:///inbox:50051', LIMIT_FILE: file }
  t.is(parseSettings(settings, env).LIMIT, 7)
  t.is(parseSettings(settings, { ...env, LIMIT: '8' }).LIMIT, 8, 'what is set directly comes first')
})

test('an error about an unreadable file names its setting', (t) => {
  const env = { INBOX_ADDRESS: 'dns:///inbox:50051', LIMIT_FILE: '/nowhere/LIMIT' }
  t.throws(() => parseSettings(settings, env), {
    instanceOf: ConfigError,
    message: 'LIMIT_FILE is wrong: a file that this process may read, for example /run/secrets/family-inbox/LIMIT',
  })
})

const cases: [name: string, schema: z.ZodType, right: string[], wrong: string[]][] = [
  [
    'MONGODB_URI',
    backendSettings.MONGODB_URI,
    ['mongodb://a:1,b:2/inbox?replicaSet=rs0'],
    ['localhost', 'mongodb://a:1/'],
  ],
  ['NATS_URL', backendSettings.NATS_URL, ['nats://a:4222', 'nats://a,tls://b'], ['a:4222', 'nats://a,b', '']],
  ['NATS_REPLICAS', backendSettings.NATS_REPLICAS, ['1', '3', '5'], ['0', '2', '7', 'x']],
  ['INBOX_ADDRESS', address('inbox'), ['dns:///inbox:50051', '127.0.0.1:1'], ['inbox', 'dns:///inbox', '']],
  ['SERVICE_KEY', backendSettings.SERVICE_KEY, [], ['{', '{}', '{"kty":"OKP","crv":"Ed25519","x":"x","kid":"k"}']],
  ['SERVICE_KEYS', backendSettings.SERVICE_KEYS, [], ['[]', '{"keys":[]}', '{"keys":[{"kty":"RSA"}]}']],
]

for (const [name, schema, right, wrong] of cases) {
  test(`${name} is checked before it is used`, (t) => {
    for (const value of right) t.true(schema.safeParse(value).success, value)
    for (const value of wrong) t.false(schema.safeParse(value).success, value)
  })
}

test('a folder with an authority requires TLS for MongoDB', (t) => {
  const secured = (MONGODB_URI: string) => secureMongodbUri({ MONGODB_URI, MONGODB_TLS_DIR: '/run/mongodb-tls' })
  const authority = 'tlsCAFile=%2Frun%2Fmongodb-tls%2Fca.crt'
  t.is(secured('mongodb://db/auth'), `mongodb://db/auth?tls=true&${authority}`)
  t.is(secured('mongodb://a,b/auth?replicaSet=rs0&tls=true'), `mongodb://a,b/auth?replicaSet=rs0&tls=true&${authority}`)
  for (const weak of [
    'tls=false',
    'ssl=false',
    'TLS=no',
    'tlsInsecure=true',
    'tlsAllowInvalidHostnames=true',
    'tlsCAFile=/x',
  ])
    t.throws(() => secured(`mongodb://db/auth?${weak}`), { instanceOf: ConfigError, message: /^MONGODB_URI is wrong/ })
  t.is(secureMongodbUri({ MONGODB_URI: 'mongodb://db/auth?tls=false' }), 'mongodb://db/auth?tls=false')
})

test('a folder with an authority requires TLS for every NATS server', (t) => {
  const NATS_TLS_DIR = '/run/nats-tls'
  t.is(natsTlsDir({ NATS_URL: 'tls://a:4222,tls://b:4222', NATS_TLS_DIR }), NATS_TLS_DIR)
  t.throws(() => natsTlsDir({ NATS_URL: 'tls://a:4222,nats://b:4222', NATS_TLS_DIR }), {
    message: /^NATS_URL is wrong/,
  })
  t.is(natsTlsDir({ NATS_URL: 'nats://a:4222' }), undefined)
})

test('a setting may come from what a command prints, such as that of a key service', (t) => {
  const env = { INBOX_ADDRESS: 'dns:///inbox:50051', LIMIT_COMMAND: 'echo 5' }
  t.is(parseSettings(settings, env).LIMIT, 5)
  t.is(parseSettings(settings, { ...env, LIMIT: '6' }).LIMIT, 6, 'unless it is set itself')
  t.throws(() => parseSettings(settings, { ...env, LIMIT_COMMAND: 'echo 5 && false' }), {
    instanceOf: ConfigError,
    message: 'LIMIT_COMMAND is wrong: a shell command that prints LIMIT, and ends with 0 within 30 seconds',
  })
})
