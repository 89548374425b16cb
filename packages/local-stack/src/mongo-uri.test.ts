import test from 'ava'
import { databaseUri } from './mongo-uri.ts'

test('a service gets its own database on the given servers', (t) => {
  t.is(
    databaseUri('mongodb://127.0.0.1:27017/?replicaSet=rs0', 'auth'),
    'mongodb://127.0.0.1:27017/auth?replicaSet=rs0',
  )
  t.is(databaseUri('mongodb://127.0.0.1:27017', 'auth'), 'mongodb://127.0.0.1:27017/auth')
  t.is(databaseUri('mongodb://a:1,b:2/other?replicaSet=rs0', 'auth'), 'mongodb://a:1,b:2/auth?replicaSet=rs0')
  t.is(databaseUri('mongodb+srv://u:p@db.example/?w=1', 'x_auth'), 'mongodb+srv://u:p@db.example/x_auth?w=1')
})

test('an invalid connection string is rejected and not printed', (t) => {
  t.throws(() => databaseUri('postgres://user:password@db', 'auth'), { message: /^MONGODB_URI must start with/ })
})
