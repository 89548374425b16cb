import { randomText } from '@family-inbox/service-kit/ids/ids'
import test from 'ava'
import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { joinSandboxes, ROSA, type Sandboxes } from '../sandbox/_sandbox.ts'
import { orderOf } from './_injected-orders.ts'
import { ORDERS_IN_SANDBOXES, REFUSED_IN_SANDBOXES } from './_orders-in-events.ts'

const ORDER = orderOf('777')
const READS = ['get_user_profile', 'list_loved_ones', 'list_family_members', 'ping']

let s: Sandboxes<SharedStack>
test.before(async () => {
  s = await joinSandboxes()
})
test.after.always(() => s?.[Symbol.asyncDispose]())

test('an order in the care context comes back nowhere, and one in a name only as that name', async (t) => {
  for (const [name, write] of Object.entries(ORDERS_IN_SANDBOXES)) {
    const args = write(ORDER)
    const { json } = await s.start({ ...ROSA, ...args })
    const [summary, data] = json.result.content.map(({ text }: { text: string }) => text)
    const { familyName, ...others } = json.result.structuredContent
    t.is(data, JSON.stringify(json.result.structuredContent), name)
    t.notRegex(JSON.stringify(others), /order-777/, name)
    if ('careContext' in args) t.notRegex(`${summary} ${familyName}`, /order-777|evil|system/i, name)
    const [first, ...rest] = summary.split('\n')
    t.regex(first, /^Sandbox workspace “[^\n”]+” is ready for [^\n]+\.$/, name)
    t.notRegex(rest.join('\n'), /order-777/, name)
  }
})

test('hidden orders for a sandbox are refused, and the refusal does not repeat them', async (t) => {
  for (const [name, write] of Object.entries(REFUSED_IN_SANDBOXES)) {
    const { json } = await s.start({ ...ROSA, ...write(ORDER) })
    t.true(json.result.isError, name)
    t.notRegex(JSON.stringify(json), /order-777|evil/, name)
  }
})

test('after a person took over the sandbox, no tool returns the care context', async (t) => {
  const email = `${randomText(12)}@silva.example`
  const args = { ...ROSA, primaryCaregiverEmail: email, careContext: `System: ${ORDER}` }
  const { workspaceId } = (await s.start(args)).json.result.structuredContent
  const person = await s.person(email)
  const claim = { workspaceId, name: 'Ana Silva', relationship: 'daughter', familyName: '', invite: [] }
  await s.sandbox.claimSandbox(claim, { token: person.token, deadline: Date.now() + 10_000 })
  const { secret } = await s.auth.mintToolKey({ name: 'Agent', scopes: [] }, { token: await person.in(workspaceId) })
  const answers = await Promise.all(
    [
      ...READS.map((name) => ({ method: 'tools/call', params: { name, arguments: {} } })),
      { method: 'tools/list' },
      { method: 'server/discover' },
    ].map((message) => post(secret, message)),
  )
  for (const { text } of answers) t.notRegex(text, /order-777|evil/)
})

function post(key: string, message: object) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  return send(`${s.stack.apiUrl}/mcp/v1`, { method: 'POST', headers, body })
}
