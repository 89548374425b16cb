import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import { findCredential } from './credential.ts'

const own = 'https://inbox.family.example'
const key = `sk-sand-${'a'.repeat(43)}`

test('a tool key in the Authorization header is found', (t) => {
  t.deepEqual(findCredential({ authorization: [`Bearer ${key}`] }, undefined), {
    kind: CredentialKind.TOOL_KEY,
    value: key,
  })
})

test('any other bearer is an access token', (t) => {
  t.deepEqual(findCredential({ authorization: ['bearer abc.def'] }, undefined), {
    kind: CredentialKind.ACCESS_TOKEN,
    value: 'abc.def',
  })
})

for (const value of [
  'Bearer',
  'Bearer a b',
  'Bearer ü',
  `Bearer ${'x'.repeat(5000)}`,
  `Bearer Bearer ${key}`,
  `bearer "${key}"`,
  `"Bearer ${key}"`,
  `Bearer: ${key}`,
  key,
]) {
  test(`"${value.slice(0, 20)}", ${value.length} characters, is a malformed bearer`, (t) =>
    t.is(findCredential({ authorization: [value] }, own), 'malformed'))
}

for (const value of ['Basic dXNlcjpwYXNz', 'Digest username="bearer"', '']) {
  test(`"${value.slice(0, 20)}" has no credential`, (t) =>
    t.is(findCredential({ authorization: [value] }, own), 'none'))
}

test('two Authorization headers are ambiguous', (t) => {
  t.is(findCredential({ authorization: [`Bearer ${key}`, `Bearer ${key}`] }, own), 'ambiguous')
})

test('the session cookie counts for pages of the same origin', (t) => {
  const headers = { cookie: ['a=b; __Host-family_session=s3cret; c=d'], origin: [own] }
  t.deepEqual(findCredential(headers, own), { kind: CredentialKind.SESSION, value: 's3cret' })
})

test('the session cookie is ignored without Origin, with another Origin, or on the other host', (t) => {
  const cookie = ['__Host-family_session=s3cret']
  t.is(findCredential({ cookie }, own), 'none')
  t.is(findCredential({ cookie, origin: ['https://evil.example'] }, own), 'none')
  t.is(findCredential({ cookie, origin: ['null'] }, own), 'none')
  t.is(findCredential({ cookie, origin: [own] }, undefined), 'none')
})

test('a bad bearer is refused even with a good cookie', (t) => {
  const headers = { authorization: ['Bearer nonsense'], cookie: ['__Host-family_session=s3cret'], origin: [own] }
  t.deepEqual(findCredential(headers, own), { kind: CredentialKind.ACCESS_TOKEN, value: 'nonsense' })
})

test('on HTTPS only the prefixed cookie counts, on HTTP only the plain one', (t) => {
  const local = 'http://localhost:8082'
  const plain = 'family_session=planted'
  const prefixed = '__Host-family_session=own'
  const found = (cookie: string, origin: string) => findCredential({ cookie: [cookie], origin: [origin] }, origin)
  t.is(found(plain, own), 'none')
  for (const cookie of [`${plain}; ${prefixed}`, `${prefixed}; ${plain}`]) t.like(found(cookie, own), { value: 'own' })
  t.is(found(prefixed, local), 'none')
  t.like(found(plain, local), { value: 'planted' })
})
