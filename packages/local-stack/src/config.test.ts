import test from 'ava'
import { type Env, environmentToConfig } from './config.ts'

const SMTP_URL = 'smtps://mail.example.org'

test('the defaults match the README', (t) => {
  const config = environmentToConfig({})
  t.deepEqual(config.urls, {
    base: 'http://localhost:8080',
    api: 'http://localhost:8081',
    inbox: 'http://localhost:8082',
  })
  t.deepEqual(
    config.publicPorts.map(({ port }) => port),
    [8080, 8081, 8082, 2525],
  )
  t.is(config.healthPort, 8080)
  t.is(config.mailDomain, 'family-inbox.test')
  t.is(config.dataDir, `${process.cwd()}/.data`)
  t.is(config.env.OUTBOX_DIR, `${process.cwd()}/.data/outbox`)
})

test('PORT replaces the three ports', (t) => {
  const config = environmentToConfig({ PORT: '9000', BASE_URL: 'https://family.example', SMTP_URL })
  t.deepEqual(config.publicPorts, [
    { setting: 'PORT', port: 9000 },
    { setting: 'SMTP_PORT', port: 2525 },
  ])
  t.is(config.healthPort, 9000)
})

test('an address without a port uses its scheme’s port', (t) => {
  t.is(environmentToConfig({ BASE_URL: 'http://family.example', SMTP_URL }).healthPort, 80)
  t.is(environmentToConfig({ BASE_URL: 'https://family.example', SMTP_URL }).healthPort, 443)
})

test('an error names the wrong setting', (t) => {
  t.throws(() => environmentToConfig({ SMTP_PORT: 'mail' }), { message: /^SMTP_PORT is wrong/ })
  t.throws(() => environmentToConfig({ SMTP_PORT: '70000' }), { message: /^SMTP_PORT is wrong/ })
  t.throws(() => environmentToConfig({ API_URL: 'localhost:8081' }), { message: /^API_URL is wrong/ })
})

test('an empty setting counts as unset', (t) => {
  t.is(environmentToConfig({ SMTP_PORT: '' }).smtpPort, 2525)
})

test('without a mail server, only loopback addresses are allowed', (t) => {
  t.is(
    environmentToConfig({ HTTP_HOST: '::1', INBOX_URL: 'http://[::1]:8082' }).outboxDir,
    `${process.cwd()}/.data/outbox`,
  )
  t.is(environmentToConfig({ HTTP_HOST: '0.0.0.0', SMTP_URL }).outboxDir, undefined)
  t.is(environmentToConfig({ HTTP_HOST: '0.0.0.0', SMTP_PROVIDER: 'Gmail' }).outboxDir, undefined)
  for (const [setting, value] of Object.entries({
    HTTP_HOST: '0.0.0.0',
    SMTP_HOST: '::',
    API_URL: 'https://a.example',
  }))
    t.throws(() => environmentToConfig({ [setting]: value }), {
      message: new RegExp(`^SMTP_URL is missing: ${setting} is `),
    })
})

test('on a public address people join by invitation, unless the operator decided otherwise', (t) => {
  const read = (env: Env) => {
    const config = environmentToConfig(env)
    return [config.isPublic, (config.env as Env).SIGN_UP]
  }
  t.deepEqual(read({}), [false, undefined])
  const there = { INBOX_URL: 'https://inbox.family.example', SMTP_URL }
  t.deepEqual(read({ ...there, SIGN_UP: '' }), [true, 'invited'])
  t.deepEqual(read({ ...there, SIGN_UP: 'open' }), [true, 'open'])
  t.deepEqual(read({ ...there, SIGN_UP_FILE: '/run/sign-up' }), [true, undefined])
})
