import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { findTarget } from './target.ts'

const key = { kid: 'ops-1', service: 'ops', alg: 'EdDSA' }
const { privateKey, publicKey } = generateKeyPairSync('ed25519')

const ADDRESSES = {
  AUTH_ADDRESS: '127.0.0.1:50051',
  CARE_CIRCLE_ADDRESS: '127.0.0.1:50052',
  INBOX_ADDRESS: '127.0.0.1:50053',
  PIPE_ADDRESS: '127.0.0.1:50054',
  SERVICE_KEY: JSON.stringify({ ...privateKey.export({ format: 'jwk' }), ...key }),
  SERVICE_KEYS: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...key }] }),
}

test('addresses in the environment win over a stack.json that npm start left behind', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'family-inbox-target-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const left = { addresses: { auth: '127.0.0.1:1', 'care-circle': '127.0.0.1:2', inbox: '', pipe: '' } }
  writeFileSync(join(dir, 'stack.json'), JSON.stringify(left))
  t.is(findTarget({ ...ADDRESSES, DATA_DIR: dir }).addresses.auth, ADDRESSES.AUTH_ADDRESS)
  t.is(findTarget({ DATA_DIR: dir }).addresses.auth, left.addresses.auth)
})

test('without addresses or running services, the error says what to set', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'family-inbox-target-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  t.throws(() => findTarget({ DATA_DIR: dir }), { name: 'ConfigError', message: /AUTH_ADDRESS/ })
})
