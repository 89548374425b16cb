import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { type Family, send, startFamily } from '../_family.ts'

const test = anyTest as TestFn<Family>

anyTest.before(async (t) => {
  t.context = await startFamily({ processes: 'seven' })
})

anyTest.after.always((t) => (t.context as Partial<Family>)[Symbol.asyncDispose]?.())

test('every call, RPC and mail is counted by outcome and duration', async (t) => {
  const { family, call } = t.context
  await call(family.keys.owner, 'ping')
  await call(family.keys.viewer, 'create_provider_code', { lovedOneId: family.lovedOnes[0]?.id })
  const gateway = await scrape(t.context, 'gateway')
  t.regex(gateway, /^family_inbox_tool_call_seconds_count\{tool="ping",outcome="ok"\} [1-9]/m)
  t.regex(gateway, /^family_inbox_tool_call_seconds_count\{tool="create_provider_code",outcome="refused"\} 1$/m)
  t.regex(gateway, /^family_inbox_http_seconds_count\{surface="api",status="200"\} [1-9]/m)
  const careCircle = await scrape(t.context, 'care-circle')
  t.regex(careCircle, /_rpc_seconds_count\{method="\S+\/CreateProviderCode",code="PERMISSION_DENIED"\} 1$/m)
  t.regex(careCircle, /_rpc_seconds_bucket\{le="0.01",method="\S+\/CheckMemberships",code="OK"\} [1-9]/m)
  const inbox = await scrape(t.context, 'inbox')
  t.regex(inbox, /^family_inbox_mail_received_seconds_count\{code="250"\} [1-9]/m)
  t.regex(inbox, /^family_inbox_mail_queue_waiting 0$/m)
  t.regex(inbox, /^family_inbox_mail_queue_oldest_seconds 0$/m)
})

test('every service exports metrics, says that it is ready, and that its stores are reachable', async (t) => {
  for (const name of Object.keys(t.context.stack.metricsUrls)) {
    const page = await scrape(t.context, name)
    t.regex(page, /^process_resident_memory_bytes \d+$/m, name)
    t.regex(page, new RegExp(`^family_inbox_ready\\{service="${name}"\\} 1$`, 'm'))
    if (name === 'gateway' || name === 'site') continue
    for (const store of ['mongodb', 'nats'])
      t.regex(page, new RegExp(`^family_inbox_store_reachable\\{store="${store}"\\} 1$`, 'm'), name)
    t.regex(page, /^family_inbox_mongodb_disk_free_ratio\{database="\w+"\} 0\.\d+$/m, name)
    t.regex(page, /^family_inbox_migrations_missing\{database="\w+"\} 0$/m, name)
  }
})

test('no metric names a person or a workspace', async (t) => {
  const { family, stack } = t.context
  for (const name of Object.keys(stack.metricsUrls)) {
    const page = await scrape(t.context, name)
    const words = [family.workspaceId, ...Object.values(family.people), ...Object.values(family.keys)]
    for (const word of words) t.false(page.includes(word), name)
  }
})

test('the dashboard and the alerts use only metrics that exist', async (t) => {
  const { stack } = t.context
  const pages = await Promise.all(Object.keys(stack.metricsUrls).map((name) => scrape(t.context, name)))
  const there = new Set(pages.flatMap((page) => [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)))
  const rules = await readFile(join(MONITORING, 'rules.yaml'), 'utf8')
  const dashboard = await readFile(join(MONITORING, 'dashboard.json'), 'utf8')
  const recorded = new Set([...rules.matchAll(/record: (\S+)/g)].map(([, name]) => name))
  const names = `${rules}${dashboard}`.matchAll(/\b(?:family_inbox|process|nodejs)[_:][a-z0-9_:]+/g)
  const used = new Set([...names].map(([name]) => name))
  t.true(used.size > 20)
  const fromOthers = new Set([...rules.matchAll(/\bkube_\w+/g)].map(([name]) => name))
  t.deepEqual([...fromOthers].sort(), ['kube_cronjob_created', 'kube_cronjob_status_last_successful_time'])
  for (const name of used) {
    const isThere = recorded.has(name) || there.has(name) || there.has(name.replace(/_(bucket|count|sum)$/, ''))
    t.true(isThere, `no service has the metric ${name}`)
  }
})

const MONITORING = join(import.meta.dirname, '../../deploy/monitoring')

async function scrape({ stack }: Family, name: string): Promise<string> {
  const { status, text } = await send(String(stack.metricsUrls[name]))
  return status === 200 ? text : ''
}
