import test from 'ava'
import { createSurfaceOf } from './surface.ts'

const local = { base: 'http://localhost:8080', api: 'http://localhost:8081', inbox: 'http://localhost:8082' }
const live = {
  base: 'https://family.example',
  api: 'https://api.family.example',
  inbox: 'https://inbox.family.example',
}

test('a configured host decides the address, whatever the port', (t) => {
  t.is(createSurfaceOf(live)('api.family.example', 8080), 'api')
  t.is(createSurfaceOf(live)('API.Family.Example', 8080), 'api')
})

test('an unknown host is not served', (t) => {
  for (const host of ['evil.example', 'api.family.example.evil.example', 'api.family.example:8080', '', undefined])
    t.is(createSurfaceOf(live)(host, 443), undefined)
})

test('on a local installation any loopback name works, and the port decides', (t) => {
  t.is(createSurfaceOf(local)('127.0.0.1:8081', 8081), 'api')
  t.is(createSurfaceOf(local)('[::1]:8082', 8082), 'inbox')
  t.is(createSurfaceOf(local)('localhost:9999', 8080), 'base')
})

test('a name that merely resolves to this machine is not a loopback name', (t) => {
  t.is(createSurfaceOf(local)('rebound.evil.example:8081', 8081), undefined)
})

test('loopback names are not served on a public installation', (t) => {
  t.is(createSurfaceOf(live)('localhost:443', 443), undefined)
})
