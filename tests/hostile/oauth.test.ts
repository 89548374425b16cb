import { randomUUID } from 'node:crypto'
import ava from 'ava'
import { type Answer, type Family, send, startFamily } from '../_family.ts'
import { agentAtWork, floodWith, type Work, workDuring } from './_others-at-work.ts'

/** Serial: each flood is one attacker. */
const test = ava.serial
const FLOOD = 300
const AT_ONCE = 4

let world: Family
ava.before(async () => {
  // A separate stack: this test uses up the limits of this machine's address.
  world = await startFamily({ serviceEnv: { REGISTRATIONS_PER_HOUR: '100', OAUTH_REQUESTS_PER_MINUTE: '100' } })
})
ava.after.always(() => world?.[Symbol.asyncDispose]())

/** A family's agent reads mail, and another agent discovers the tool server. */
function others(): Work[] {
  const { family, stack } = world
  return [
    agentAtWork(world, family),
    {
      name: 'metadata',
      ask: () => send(`${stack.inboxUrl}/.well-known/oauth-authorization-server`),
      isGood: ({ status }) => status === 200,
    },
  ]
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const attacks: Record<string, (index: number) => Promise<Answer>> = {
  'registers one application after the other': () =>
    send(`${world.stack.inboxUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'x'.repeat(500), redirect_uris: [`https://${randomUUID()}.example/`] }),
    }),
  'sends one authorization request after the other': (index) =>
    send(
      `${world.stack.inboxUrl}/oauth/authorize?client_id=${index}&response_type=code&prompt=none&state=${'x'.repeat(500)}`,
    ),
  'requests tokens with made-up codes': (index) =>
    send(`${world.stack.inboxUrl}/oauth/token`, {
      method: 'POST',
      headers: form,
      body: `grant_type=authorization_code&client_id=made-up&code=${index}&code_verifier=${'v'.repeat(43)}`,
    }),
}

for (const [what, attack] of Object.entries(attacks))
  test(`a family is not affected when someone ${what}`, async (t) => {
    await workDuring(t, others(), async () => {
      const statuses = await floodWith(FLOOD, AT_ONCE, attack)
      t.true((statuses.get(429) ?? 0) > 0, `the flood was not limited: ${JSON.stringify([...statuses])}`)
      t.is(statuses.get(500), undefined)
    })
  })
