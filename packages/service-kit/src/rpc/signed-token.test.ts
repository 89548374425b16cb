import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { isSignedBy, parseToken, publicKeyOf, type SignedToken, signToken } from './signed-token.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signed: SignedToken = { kid: 'auth-1', typ: 'service+jwt', claims: { sub: 'auth', aud: 'inbox', exp: 1 } }
const token = signToken(signed, privateKey)

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'EdDSA', kid: 'auth-1', typ: 'service+jwt' }
const { claims } = signed

test('a token says what was signed, and who signed it', (t) => {
  t.deepEqual(parseToken(token), signed)
  t.true(isSignedBy(token, publicKey))
  t.false(isSignedBy(token, generateKeyPairSync('ed25519').publicKey))
})

test('signatures are those of RFC 8037, appendix A.4', (t) => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
  const example =
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.' +
    'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'
  t.true(isSignedBy(example, publicKeyOf({ kty: 'OKP', crv: 'Ed25519', x })))
  t.is(parseToken(example), undefined, 'but it is none of ours')
})

test('another implementation of JWT, with which the version before signs, reads our tokens, and we read its', async (t) => {
  const exp = Math.floor(Date.now() / 1000) + 60
  const ours = signToken({ ...signed, claims: { ...claims, exp } }, privateKey)
  const theirKey = await importJWK(publicKey.export({ format: 'jwk' }), 'EdDSA')
  const { payload, protectedHeader } = await jwtVerify(ours, theirKey, { audience: 'inbox', algorithms: ['EdDSA'] })
  t.deepEqual([payload, protectedHeader], [{ ...claims, exp }, header])

  const key = await importJWK(privateKey.export({ format: 'jwk' }), 'EdDSA')
  const theirs = await new SignJWT({ ...claims, exp }).setProtectedHeader(header).sign(key)
  t.deepEqual(parseToken(theirs), { ...signed, claims: { ...claims, exp } })
  t.true(isSignedBy(theirs, publicKey))
})

test('a change anywhere is noticed', (t) => {
  const end = token.lastIndexOf('.')
  for (let at = 0; at < token.length - 1; at += 1) {
    if (at === end) continue
    const other = token[at] === 'A' ? 'B' : 'A'
    const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`
    t.false(parseToken(changed) !== undefined && isSignedBy(changed, publicKey), `character ${at}`)
  }
})

for (const [what, strange] of Object.entries({
  'no algorithm': [{ ...header, alg: 'none' }, claims],
  'another algorithm': [{ ...header, alg: 'HS256' }, claims],
  'no key': [{ alg: 'EdDSA', typ: 'service+jwt' }, claims],
  'a critical extension': [{ ...header, crit: ['b64'], b64: false }, claims],
  'a key of its own': [{ ...header, jwk: publicKey.export({ format: 'jwk' }) }, claims],
  'no subject': [header, { aud: 'inbox' }],
  'no audience': [header, { sub: 'auth' }],
  'an audience that is no text': [header, { sub: 'auth', aud: [{}] }],
  'an expiry that is no number': [header, { sub: 'auth', aud: 'inbox', exp: '9' }],
  'a list as header': [[], claims],
  'null as claims': [header, null],
}))
  test(`a token with ${what} is refused`, (t) => {
    t.is(parseToken(`${strange.map(part).join('.')}.${token.split('.')[2]}`), undefined)
  })

for (const strange of ['', '.', '..', '...', 'a.b', `${token}.`, `.${token}`, token.replaceAll('.', ''), 'a.b.c'])
  test(`${JSON.stringify(strange.slice(0, 12))}… with ${strange.split('.').length} parts is refused`, (t) => {
    t.is(parseToken(strange), undefined)
  })

test('a token that no header can hold is not even read', (t) => {
  t.is(parseToken(signToken({ ...signed, claims: { ...claims, ws: 'x'.repeat(10_000) } }, privateKey)), undefined)
})
