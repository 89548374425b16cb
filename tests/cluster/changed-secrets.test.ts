import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys, rotateKey } from '@family-inbox/deploy/key-folder'
import test from 'ava'
import { codeOfServices } from './_code.ts'
import { type Built, buildWithComponent, ofKind, theOnly } from './_manifests.ts'

const STORES = { mongodbUri: 'mongodb://mongod-0.mongod:27017/?replicaSet=rs0', smtpUrl: 'smtp://mailpit:1025' }
const EVERY = [...codeOfServices().keys()].sort()

test('applying changed keys replaces the pods that read them, and no others', async (t) => {
  const keys = await mkdtemp(join(tmpdir(), 'family-inbox-keys-'))
  t.teardown(() => rm(keys, { recursive: true, force: true }))
  await makeKeys(keys, STORES)
  let before = podsOf(await buildWithComponent('production', keys))
  const expectReplaced = async (change: () => Promise<void>, services: string[], title: string) => {
    await change()
    const after = podsOf(await buildWithComponent('production', keys))
    t.deepEqual([...after.keys()].filter((name) => after.get(name) !== before.get(name)).sort(), services, title)
    before = after
  }
  await expectReplaced(() => makeKeys(keys, STORES), [], 'nothing changed')
  for (const [service, setting, introduce, use, retire] of ROTATED) {
    const step = (name: 'introduce' | 'use' | 'retire') => () => rotateKey(keys, service, setting, name)
    await expectReplaced(step('introduce'), introduce, `${setting}: introduce`)
    await expectReplaced(step('use'), use, `${setting}: use`)
    await expectReplaced(step('retire'), retire, `${setting}: retire`)
  }
  const password = () => writeFile(join(keys, 'inbox/SMTP_URL'), 'smtps://user:new@mail.example.org')
  await expectReplaced(password, ['inbox'], 'a new password')
})

/** As the table in docs/operations.md says, by step. */
const ROTATED: [service: string, setting: string, introduce: string[], use: string[], retire: string[]][] = [
  ['auth', 'SERVICE_KEY', EVERY, ['auth'], EVERY],
  ['auth', 'OIDC_COOKIE_KEYS', ['auth'], ['auth'], ['auth']],
  ['pipe', 'PIPE_SECRET_KEYS', ['pipe'], ['pipe'], ['pipe']],
]

test('each service gets a Secret of its own that never changes, and nats-server finds its users by the same name', async (t) => {
  const keys = await mkdtemp(join(tmpdir(), 'family-inbox-keys-'))
  t.teardown(() => rm(keys, { recursive: true, force: true }))
  await makeKeys(keys, STORES)
  const built = await buildWithComponent('production', keys)
  for (const name of EVERY) {
    const secret = theOnly(built, 'Secret', name) as { immutable?: boolean; metadata: { name: string } }
    t.true(secret.immutable)
    const { volumes } = theOnly(built, 'Deployment', name).spec.template.spec
    t.true(JSON.stringify(volumes).includes(`"name":"${secret.metadata.name}"`), name)
  }
  t.is(theOnly(built, 'ConfigMap', 'nats-users').metadata.name, 'nats-users')
})

/** The pods of each Deployment, as text. */
function podsOf(built: Built): Map<string, string> {
  const deployments = ofKind(built, 'Deployment').filter(({ metadata }) => EVERY.includes(metadata.name))
  return new Map(deployments.map(({ metadata, spec }) => [metadata.name, JSON.stringify(spec.template)]))
}
