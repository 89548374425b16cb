import test from 'ava'
import { knownForwarder } from './known-forwarders.ts'

const sealedBy = (...arcSealers: string[]) => ({ arc: 'pass', arcSealers })

test('only forwarders that are known, or named by the operator, count', (t) => {
  t.is(knownForwarder(sealedBy('google.com'), []), 'google.com')
  t.is(knownForwarder(sealedBy('microsoft.com', 'google.com'), []), 'google.com')
  t.is(knownForwarder(sealedBy('lists.example'), ['lists.example']), 'lists.example')
  for (const sealer of ['evil.example', 'mail.google.com', 'google.com.evil.example', 'toString', '__proto__', ''])
    t.is(knownForwarder(sealedBy(sealer), []), undefined, sealer)
})

test('an unknown sealer anywhere in the chain, or a chain that does not hold, explains nothing', (t) => {
  t.is(knownForwarder(sealedBy('google.com', 'evil.example'), []), undefined)
  t.is(knownForwarder(sealedBy('evil.example', 'google.com'), []), undefined)
  t.is(knownForwarder({ ...sealedBy('google.com'), arc: 'fail' }, []), undefined)
  t.is(knownForwarder({ arc: 'pass' }, []), undefined, 'from before sealers were kept')
})

test('a forged mail that is sent through a known forwarder is still forged', (t) => {
  t.is(knownForwarder({ ...sealedBy('google.com'), arcFirstDmarc: 'fail' }, []), undefined)
  t.is(knownForwarder({ ...sealedBy('google.com'), arcFirstDmarc: 'pass' }, []), 'google.com')
})
