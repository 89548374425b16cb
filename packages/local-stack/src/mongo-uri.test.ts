import test from 'ava'
import { databaseUri, hostsOf, withUser } from './mongo-uri.ts'

test('a service gets its own database on the given servers', (t) => {
  t.is(
    databaseUri('mongodb://127.0.0.1:27017/?replicaSet=rs0', 'auth'),
    'mongodb://127.0.0.1:27017/auth?replicaSet=rs0',
  )
  t.is(databaseUri('mongodb://127.0.0.1:27017', 'auth'), 'mongodb://127.0.0.1:27017/auth')
  t.is(databaseUri('mongodb://a:1,b:2/other?replicaSet=rs0', 'auth'), 'mongodb://a:1,b:2/auth?replicaSet=rs0')
  t.is(databaseUri('mongodb://u:p@a:1/?authSource=admin', 'auth'), 'mongodb://u:p@a:1/auth?authSource=admin')
  t.is(databaseUri('mongodb+srv://u:p@db.example/?w=1', 'x_auth'), 'mongodb+srv://u:p@db.example/x_auth?w=1')
})

test('an invalid connection string is rejected and not printed', (t) => {
  t.throws(() => databaseUri('postgres://user:password@db', 'auth'), { message: /^MONGODB_URI must start with/ })
})

test('a user logs in at its own database, whoever the given URI names', (t) => {
  const user = { name: 'care-circle', password: 'a/b:c', database: 'x_care_circle' }
  t.is(
    withUser('mongodb://ops:pw@a:1,b:2/?replicaSet=rs0&authSource=admin', user),
    'mongodb://care-circle:a%2Fb%3Ac@a:1,b:2/x_care_circle?replicaSet=rs0&authSource=x_care_circle',
  )
  t.is(
    withUser('mongodb://a:1/?replicaSet=rs0', { name: 'ops', password: 'pw', database: 'admin' }),
    'mongodb://ops:pw@a:1/?replicaSet=rs0&authSource=admin',
  )
})

test('a URI’s servers are found whatever its password looks like', (t) => {
  t.deepEqual(hostsOf('mongodb://ops:1234@127.0.0.1:5,127.0.0.1:6/?replicaSet=rs0'), ['127.0.0.1:5', '127.0.0.1:6'])
  t.deepEqual(hostsOf('mongodb://127.0.0.1:5'), ['127.0.0.1:5'])
})
