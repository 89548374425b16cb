import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identityKeys, localSecret } from '@family-inbox/local-stack/secrets'
import { services } from '@family-inbox/local-stack/services'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { backup, makeFolders, startMongodIn } from './_move.ts'

test('a move overwrites nothing, and does not begin without all keys', async (t) => {
  await using cleanUp = new AsyncDisposableStack()
  const folders = await makeFolders(cleanUp)
  const mongod = cleanUp.use(await startMongodIn(folders.replicaSet))
  const source = cleanUp.use(await startMongodIn(folders.home))
  const client = cleanUp.use(await new MongoClient(source.uri).connect())
  await client.db('inbox').collection('messages').insertOne({ text: 'of the home' })
  await makeSecrets(folders.home)
  const atHome = { DATA_DIR: folders.home, MONGODB_URI: source.uri }
  // A backup replaces the one of the same day.
  await mkdir(folders.cluster)
  const [file, lacking] = [join(folders.cluster, 'complete'), join(folders.cluster, 'lacking')]
  await cp((await backup(['nightly'], atHome)).stdout.trim(), file)
  await rm(join(folders.home, 'secrets/KEY_ENCRYPTION_KEYS.json'))
  await cp((await backup(['nightly'], atHome)).stdout.trim(), lacking)
  await writeFile(folders.keyFile, (await backup(['key'], atHome)).stdout)
  const toCluster = (from: string, settings = {}) =>
    backup(['to-cluster', from, folders.keys, '--key-file', folders.keyFile, '--mongodb-uri', mongod.uri], settings)
  const fromCluster = (settings = {}) =>
    backup(['from-cluster', folders.keys], { DATA_DIR: folders.back, MONGODB_URI: mongod.uri, ...settings })

  await t.throwsAsync(toCluster(lacking), {
    message: /The backup lacks KEY_ENCRYPTION_KEYS: set each as the server did/,
  })
  await t.throwsAsync(stat(folders.keys), { code: 'ENOENT' }, 'there is no half of a folder')
  await toCluster(lacking, { KEY_ENCRYPTION_KEYS: '["as the server did"]' })
  t.is(await readFile(join(folders.keys, 'inbox/KEY_ENCRYPTION_KEYS'), 'utf8'), '["as the server did"]')
  await t.throwsAsync(toCluster(file), { message: /keys is not empty\. Name a new folder for the keys\./ })
  const kept = join(folders.cluster, 'kept')
  await cp(folders.keys, kept, { recursive: true })
  await rm(folders.keys, { recursive: true })
  await t.throwsAsync(toCluster(file), { message: /The database inbox is not empty\./ })
  await t.throwsAsync(stat(folders.keys), { code: 'ENOENT' })

  await cp(kept, folders.keys, { recursive: true })
  await rm(join(folders.keys, 'care-circle/INVITATION_KEY'))
  await t.throwsAsync(fromCluster(), { message: /keys lacks INVITATION_KEY: take the folder/ })
  await t.throwsAsync(stat(folders.back), { code: 'ENOENT' })
  await cp(kept, folders.keys, { recursive: true })
  await t.throwsAsync(fromCluster({ DATA_DIR: folders.home }), {
    message: /is not empty\. Set DATA_DIR to a new folder/,
  })
  const dumped = join(folders.cluster, 'dumped')
  await backup(['make', dumped], { MONGODB_URI: mongod.uri })
  const { stdout } = await backup(['from-cluster', folders.keys, dumped], { DATA_DIR: folders.back })
  t.regex(stdout, /^inbox\.messages: 1$/m)
  for (const name of ['inbox.jwk.json', 'OIDC_JWKS.json', 'DKIM_KEY.json']) {
    const [was, is] = await Promise.all([folders.home, folders.back].map((each) => readSecret(each, name)))
    t.deepEqual(is, was, name)
  }
})

/** The secrets of a home server that `npm start` makes. */
async function makeSecrets(dataDir: string): Promise<void> {
  await identityKeys(dataDir)
  for (const { secrets = {} } of services)
    for (const [name, kind] of Object.entries(secrets)) await localSecret(dataDir, name, kind)
}

/** The line end of a PEM file is gone, which services do not read either. */
async function readSecret(dataDir: string, name: string): Promise<unknown> {
  const value = JSON.parse(await readFile(join(dataDir, 'secrets', name), 'utf8'))
  return typeof value === 'string' ? value.trimEnd() : value
}
