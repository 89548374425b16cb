import test from 'ava'
import { findReplicaSet } from './find-replica-set.ts'

const MONGODB_URI = 'mongodb://backup:b@mongodb.example/?replicaSet=rs0'

test('with a folder for MongoDB’s authority the connection uses TLS with it, as the services do', async (t) => {
  t.is(await findReplicaSet(undefined, { MONGODB_URI }), MONGODB_URI)
  const secured = await findReplicaSet(undefined, { MONGODB_URI, MONGODB_TLS_DIR: '/run/mongodb-tls' })
  t.is(secured, `${MONGODB_URI}&tls=true&tlsCAFile=%2Frun%2Fmongodb-tls%2Fca.crt`)
  await t.throwsAsync(findReplicaSet(undefined, { MONGODB_URI: `${MONGODB_URI}&tls=false`, MONGODB_TLS_DIR: '/run' }), {
    message: /may not say tls=false/,
  })
})

test('an option wins over the settings', async (t) => {
  const uri = 'mongodb://127.0.0.1:27017'
  t.is(await findReplicaSet(uri, { MONGODB_URI, MONGODB_TLS_DIR: '/run/mongodb-tls' }), uri)
})
