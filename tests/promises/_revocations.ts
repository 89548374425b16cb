import { setTimeout as sleep } from 'node:timers/promises'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { databaseName } from '../_database.ts'
import { type Answer, send } from '../_family.ts'
import { type SecondGateway, startSecondGateway } from '../_second-gateway.ts'
import { type AuthStack, joinBehindGateway } from '../auth/_auth.ts'
import { authenticate, getCode, newPkce, redeem, registered, toAuth } from '../auth/_oauth.ts'
import { type Member, newEmail, signInMember } from '../auth/_people.ts'

/** Parallel trials; each lane takes the next when it is done. */
const LANES = 8

type World = { s: AuthStack; second: SecondGateway }

/** One credential: a call with it, and how to revoke it. */
type Trial = {
  credential: Record<string, string>
  tool?: string
  args?: object
  revoke(): Promise<unknown>
}

/** A gateway and one of the tool server's two addresses. */
type Route = { url: string; host: string }

const test = (anyTest as TestFn<World>).serial

/** The serial tests of a file, on the shared stack with a second gateway. */
export function openRevocations() {
  test.before(async (t) => {
    const s = await joinBehindGateway()
    t.context = { s, second: await startSecondGateway(s.stack) }
  })
  test.after.always(async (t) => {
    await t.context.second?.[Symbol.asyncDispose]()
    await t.context.s?.[Symbol.asyncDispose]()
  })
  return test
}

type Enter = (world: World) => Promise<(nth: number) => Promise<Trial>>

/** What is revoked. */
export const REVOCATIONS = {
  key: async ({ s }) => {
    const { auth, token } = await keeper(s)
    return async () => {
      const { key, secret } = await auth.mintToolKey({ name: 'Agent', scopes: [] }, { token: await token() })
      const owner = await token()
      return {
        credential: bearer(secret),
        revoke: () => auth.revokeToolKey({ keyId: key?.id ?? '' }, { token: owner }),
      }
    }
  },
  token: async ({ s }) => {
    const { auth, token, person } = await keeper(s)
    const client = await registered(s)
    return async (nth) => {
      const pkce = newPkce()
      const { access_token } = (await redeem(s, client, await getCode(s, person, client, pkce), pkce)).json
      const grantId = (await authenticate(s, access_token)).caller?.credentialId ?? ''
      const owner = await token()
      const byPerson = () => auth.revokeGrant({ grantId }, { token: owner })
      const byApplication = () =>
        toAuth(s, '/oauth/revoke', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ client_id: client.client_id, token: access_token }).toString(),
        })
      return { credential: bearer(access_token), revoke: nth % 2 ? byPerson : byApplication }
    }
  },
  session:
    async ({ s }) =>
    async (nth) => {
      const { session } = await signInMember(s)
      const { principal: token, sessionId } = await s.as.site.resolveSession({ session })
      return {
        credential: { cookie: `family_session=${session}`, origin: s.stack.inboxUrl },
        revoke: () => s.as.site.revokeSessions({ sessionId: nth % 2 ? sessionId : '' }, { token }),
      }
    },
  membership: async ({ s }) => {
    const { token, invite, lovedOneId } = await keeper(s)
    const { personId, renew, mint } = await invite(Role.VIEWER)
    const members = s.mongo.db(databaseName(s.stack, 'care-circle')).collection('members')
    const row = await members.findOne({ personId })
    if (row === null) throw new Error('the membership is not where care-circle should keep it')
    return async (nth) => {
      // A new membership each time: the keys of the one before have ended with it.
      await members.replaceOne({ _id: row._id }, { ...row, joinedAt: new Date() }, { upsert: true })
      const [member, owner] = await Promise.all([renew(), token()])
      return {
        credential: bearer(await mint()),
        tool: nth % 3 ? 'list_family_members' : 'list_inbox_messages',
        args: nth % 3 ? {} : { lovedOneId },
        revoke: () => s.careCircle.removeMember({ personId }, { token: nth % 2 ? owner : member }),
      }
    }
  },
  role: async ({ s }) => {
    const { token, invite, addLovedOne } = await keeper(s)
    const { personId, secret } = await invite(Role.COORDINATOR)
    const change = async (role: Role, by: string) => s.careCircle.changeRole({ personId, role }, { token: by })
    return async () => {
      const owner = await token()
      await change(Role.COORDINATOR, owner)
      const lovedOneId = await addLovedOne() // a loved one may have twenty codes
      return {
        credential: bearer(secret),
        tool: 'create_provider_code',
        args: { lovedOneId },
        revoke: () => change(Role.VIEWER, owner),
      }
    }
  },
} satisfies Record<string, Enter>

/**
 * Revokes repeatedly while calls run at both addresses and through both gateways. Every call that starts after the response
 * must be refused.
 * @param enter sets up a lane and returns its trial factory
 */
export async function revokeOften(t: ExecutionContext<World>, trials: number, enter: Enter): Promise<void> {
  let begun = 0
  let underWay = 0
  let answeredAllTheSame = 0
  const late: string[] = []
  const lane = async () => {
    const prepare = await enter(t.context)
    for (let nth = begun++; nth < trials; nth = begun++) {
      const trial = await prepare(nth)
      const routes = routesOf(t.context, trial)
      const call = (route: Route) => callTool(route, trial)
      let first = await call(routes[nth % routes.length] as Route)
      while (isUnanswered(first)) first = await call(routes[nth % routes.length] as Route)
      if (!isGood(first)) throw new Error(`before it was revoked: ${first.text}`)
      const running = routes.map(call)
      // The moment of the revocation varies, from at once to after the answers.
      await (nth % 7 === 6 ? Promise.all(running) : sleep(nth % 7))
      await trial.revoke()
      const afterwards = await Promise.all(routes.map(call))
      late.push(...afterwards.filter((answer) => !isRefused(answer)).map(({ text }) => text))
      const during = await Promise.all(running)
      underWay += during.length
      answeredAllTheSame += during.filter(isGood).length
    }
  }
  // Each lane founds a family, so few trials take few lanes.
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(trials / 4)) }, lane))
  t.deepEqual(late, [])
  t.true(answeredAllTheSame > 0, 'no call was ever ahead of a revocation')
  t.log(`${trials} revocations; ${answeredAllTheSame} of ${underWay} calls that ran meanwhile were answered`)
}

/** The session cookie counts on the application's host only. */
function routesOf({ s: { stack }, second }: World, { credential }: Trial): Route[] {
  const addresses = [`${stack.apiUrl}/mcp/v1`, `${stack.inboxUrl}/api/mcp`].slice('cookie' in credential ? 1 : 0)
  return addresses.flatMap((address) => {
    const { host, pathname } = new URL(address)
    return [
      { url: address, host },
      { url: `http://${second.address}${pathname}`, host },
    ]
  })
}

function callTool({ url, host }: Route, { credential, tool = 'ping', args = {} }: Trial): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
  const headers = { host, 'content-type': 'application/json', ...credential }
  return send(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

function isGood({ status, json }: Answer): boolean {
  return status === 200 && json?.result?.isError === undefined && json?.result !== undefined
}

/** 401, or an error about the membership or role; or no answer from a busy machine. */
function isRefused(answer: Answer): boolean {
  const said = answer.json?.result?.content?.[0]?.text ?? ''
  return answer.status === 401 || isUnanswered(answer) || /not a member|Viewers can read/.test(said)
}

function isUnanswered({ json }: Answer): boolean {
  return json?.error?.code === -32_603
}

/** A person with a family of their own. */
async function keeper(s: AuthStack) {
  const person: Member = await signInMember(s)
  const { workspaceId } = person
  const token = person.principal
  const { site: auth, ops } = s.as
  const addLovedOne = async () =>
    (await s.careCircle.addLovedOne({ name: 'Rosa Garcia' }, { token: await token() })).lovedOne?.id ?? ''
  async function invite(role: Role) {
    const email = newEmail()
    const { personId, principal: unbound } = await ops.createPerson({ email, name: 'Luis Garcia' })
    const request = { email, role, relationship: '', message: '', idempotencyKey: '' }
    const invitation = await s.careCircle.inviteMember(request, { token: await token() })
    await s.careCircle.acceptInvitation({ token: invitation.token, name: 'Luis Garcia' }, { token: unbound })
    let principal = unbound
    const renew = async () => {
      principal = (await ops.switchWorkspace({ workspaceId }, { token: principal })).principal
      return principal
    }
    const mint = async () => (await ops.mintToolKey({ name: 'Agent', scopes: [] }, { token: await renew() })).secret
    return { personId, secret: await mint(), renew, mint }
  }
  return { auth, person, token, invite, addLovedOne, lovedOneId: await addLovedOne() }
}
