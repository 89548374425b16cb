import { createLogger } from '@family-inbox/service-kit/observability/logger'
import test from 'ava'
import { createReadSwitches, readSwitch } from './switches.ts'

const logger = createLogger('test', 'fatal')
const settings = { signUp: 'invited', hasSandbox: false, hasPublicSite: true } as const

test('what the operator switched counts instead of the settings, and what they did not switch stays', async (t) => {
  const ask = async () => ({
    switches: [
      { name: 'signUp', value: 'closed' },
      { name: 'sandbox', value: 'on' },
    ],
  })
  const read = createReadSwitches({ settings, isSwitchable: true, ask, logger })
  t.deepEqual(await read(), { signUp: 'closed', hasSandbox: true, hasPublicSite: true })
})

test('without an operator’s page nobody is asked, and the settings count', async (t) => {
  const ask = () => t.fail() as never
  t.deepEqual(await createReadSwitches({ settings, isSwitchable: false, ask, logger })(), settings)
})

test('while nobody knows what was switched, strangers may do nothing; later the last answer counts', async (t) => {
  let answer = async (): Promise<{ name: string; value: string }[]> => Promise.reject(new Error('away'))
  const read = () =>
    createReadSwitches({ settings, isSwitchable: true, ask: async () => ({ switches: await answer() }), logger })()
  t.deepEqual(await read(), { signUp: 'closed', hasSandbox: false, hasPublicSite: false })
  answer = async () => []
  t.deepEqual(await read(), settings)
})

test('many who want to know at once ask once', async (t) => {
  let asked = 0
  const ask = async () => {
    asked += 1
    return { switches: [] }
  }
  const read = createReadSwitches({ settings, isSwitchable: true, ask, logger })
  await Promise.all([read(), read(), read()])
  await read()
  t.is(asked, 1)
})

test('only a switch and one of its values are accepted', (t) => {
  t.deepEqual(readSwitch('sandbox', 'on'), { name: 'sandbox', value: 'on' })
  for (const [name, value] of [
    ['sandbox', 'open'],
    ['toString', 'on'],
    ['signUp', ''],
    ['constructor', 'name'],
  ])
    t.is(readSwitch(name ?? '', value ?? ''), undefined)
})
