import test from 'ava'
import { startFamily } from '../_family.ts'
import { readUntil } from '../_wait.ts'
import { findPrometheus } from './_prometheus.ts'
import { type Alert, watchStack } from './_running-prometheus.ts'

const found = await findPrometheus()
const lacking = 'lacking' in found ? ` [${found.lacking}]` : ''
const runOrSkip = lacking === '' ? test : test.skip

/** More than the five below which nobody is woken. */
const CALLS = 12

runOrSkip(
  `Prometheus watches a stack: a gateway that hangs, failing calls and a stuck queue ring, and stop${lacking}`,
  async (t) => {
    if ('lacking' in found) return t.fail(found.lacking)
    await using f = await startFamily({ processes: 'seven', env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
    const { stack, family, call } = f
    await using prometheus = await watchStack(found.prometheus, stack)
    const { ringing, query } = prometheus
    const callOften = () => Promise.all(Array.from({ length: CALLS }, () => call(family.keys.owner, 'list_loved_ones')))

    const levels = await readUntil(
      async () => {
        await callOften()
        return query('family_inbox:slo_errors:ratio_rate5m{slo=~"tool-calls-.*"}')
      },
      (ratios) => ratios.length === 2,
    )
    t.true(levels.every((failed) => failed < 1))
    t.deepEqual(await ringing(), [])

    await stack.pause('gateway')
    t.truthy(await readUntil(ringing, rings({ alertname: 'ServiceIsGone', service: 'gateway', severity: 'page' })))
    stack.resume('gateway')
    await readUntil(ringing, isSilent('ServiceIsGone'))

    await stack.pause('auth')
    await callOften()
    t.truthy(await readUntil(ringing, rings({ alertname: 'ToolCallsFail', severity: 'page' })))
    stack.resume('auth')
    await stack.waitReady()
    await readUntil(async () => {
      await callOften()
      return ringing()
    }, isSilent('ToolCallsFail'))

    for (const nth of [1, 2, 3]) {
      const invited = await call(family.keys.owner, 'invite_family_member', {
        email: `cousin${nth}@example.com`,
        role: 'viewer',
      })
      t.falsy(invited.json.error)
    }
    t.truthy(await readUntil(ringing, rings({ alertname: 'MailIsNotSent', severity: 'page' })))
  },
)

function rings(wanted: Partial<Alert['labels']>) {
  return (alerts: Alert['labels'][]) =>
    alerts.some((labels) => Object.entries(wanted).every(([name, value]) => labels[name] === value))
}

function isSilent(alertname: string) {
  return (alerts: Alert['labels'][]) => alerts.every((labels) => labels.alertname !== alertname)
}
