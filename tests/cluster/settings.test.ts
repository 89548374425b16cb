import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newKey, newSecret, publicHalf } from '@family-inbox/local-stack/secrets'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'

/** Starts a service with only these settings; it is expected to exit. */
function start(service: string, env: Record<string, string>): Promise<{ code: unknown; lines: string[] }> {
  const main = join(REPOSITORY, 'services', service, 'src/main.ts')
  const options = { env: { PATH: readEnvironment().PATH, ...env }, timeout: 60_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, [main], options, (error, _stdout, stderr) => {
      resolve({ code: error?.code, lines: stderr.trim().split('\n') })
    })
  })
}

test('a service without settings names every missing one and exits', async (t) => {
  const { code, lines } = await start('sandbox', {})
  t.is(code, 1)
  const needed = [
    'SERVICE_KEY',
    'SERVICE_KEYS',
    'MONGODB_URI',
    'NATS_URL',
    'CARE_CIRCLE_ADDRESS',
    'INBOX_ADDRESS',
    'NETWORK_KEY',
  ]
  t.deepEqual(
    lines.map((line) => line.split(' is missing: ')[0]),
    needed,
  )
  for (const line of lines) t.regex(line, /for example /)
})

test('an error names the wrong setting, what was expected and an example; secret files are read', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-settings-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const key = newKey('sandbox')
  await writeFile(join(dir, 'NETWORK_KEY'), `${newSecret('key')}\n`)
  const { code, lines } = await start('sandbox', {
    SERVICE_KEY: JSON.stringify(key),
    SERVICE_KEYS: JSON.stringify({ keys: [publicHalf(key)] }),
    MONGODB_URI: 'mongodb://localhost:27017/sandbox?replicaSet=rs0',
    NATS_URL: 'nats://localhost:4222',
    CARE_CIRCLE_ADDRESS: 'dns:///care-circle:50051',
    INBOX_ADDRESS: 'dns:///inbox:50051',
    NETWORK_KEY_FILE: join(dir, 'NETWORK_KEY'),
    SANDBOX_BUCKET_CAPACITY: 'many',
  })
  t.is(code, 1)
  t.deepEqual(lines, [
    'SANDBOX_BUCKET_CAPACITY is wrong: the most sandbox workspaces one client network may create in a burst, for example 6',
  ])
})
