import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ExecutionContext } from 'ava'
import { databaseName } from '../_database.ts'
import type { Answer } from '../_family.ts'
import type { AuthStack } from '../auth/_auth.ts'
import { authenticate, getCode, newPkce, redeem, registered, toAuth } from '../auth/_oauth.ts'
import { type Member, newEmail, signInMember } from '../auth/_people.ts'
import {
  bearer,
  callTool,
  inLanes,
  isGood,
  isUnanswered,
  type Route,
  routesTo,
  untilEnded,
  type World,
} from './_two-gateways.ts'

/** Parallel trials. */
const LANES = 8

/** One credential: a call with it, and how to revoke it. */
type Trial = {
  credential: Record<string, string>
  tool?: string
  args?: object
  revoke(): Promise<unknown>
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
  let underWay = 0
  let answeredAllTheSame = 0
  const late: string[] = []
  await inLanes(trials, LANES, async () => {
    const prepare = await enter(t.context)
    return async (nth) => {
      const trial = await prepare(nth)
      const { credential, tool = 'ping', args = {} } = trial
      const routes = routesOf(t.context, trial)
      const call = (route: Route) => callTool(route, credential, tool, args)
      let first = await call(routes[nth % routes.length] as Route)
      while (isUnanswered(first)) first = await call(routes[nth % routes.length] as Route)
      if (!isGood(first)) throw new Error(`before it was revoked: ${first.text}`)
      const running = routes.map(call)
      // The moment of the revocation varies, from at once to after the last answer.
      await untilEnded(running, nth % (running.length + 1))
      await trial.revoke()
      const afterwards = await Promise.all(routes.map(call))
      late.push(...afterwards.filter((answer) => !isRefused(answer)).map(({ text }) => text))
      const during = await Promise.all(running)
      underWay += during.length
      answeredAllTheSame += during.filter(isGood).length
    }
  })
  t.deepEqual(late, [])
  t.true(answeredAllTheSame > 0, 'no call was ever ahead of a revocation')
  t.log(`${trials} revocations; ${answeredAllTheSame} of ${underWay} calls that ran meanwhile were answered`)
}

/** The session cookie counts on the application's host only. */
function routesOf({ s: { stack }, second }: World, { credential }: Trial): Route[] {
  const addresses = [`${stack.apiUrl}/mcp/v1`, `${stack.inboxUrl}/api/mcp`].slice('cookie' in credential ? 1 : 0)
  return addresses.flatMap((address) => routesTo(address, second))
}

/** 401, or an error about the membership or role; or no answer from a busy machine. */
function isRefused(answer: Answer): boolean {
  const said = answer.json?.result?.content?.[0]?.text ?? ''
  return answer.status === 401 || isUnanswered(answer) || /not a member|Viewers can read/.test(said)
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
