import type { LimitedAccess } from '@family-inbox/service-kit/rpc/identity'
import type Provider from 'oidc-provider'
import type { Grant, Interaction } from 'oidc-provider'
import { mcpResources } from '../admission/resource.ts'
import type { Context } from '../context.ts'
import { PROTOCOL_SCOPES } from '../scopes.ts'
import { activeGrants } from '../wire.ts'
import type { HeldAccess } from './access-after.ts'
import { extendClient } from './record-adapter.ts'

type Holder = { personId: string; workspaceId: string; clientId: string; memberSince: Date | undefined }

type Decision = Holder & {
  held: HeldAccess | undefined
  scopes: string[]
  denied: string[]
  limit: LimitedAccess | undefined
}

/** Changes the grant that this browser's app holds, or creates one, of which the person and the owner get a mail. @returns its id */
export async function grantAccess(
  ctx: Context,
  provider: Provider,
  interaction: Interaction,
  decision: Decision,
): Promise<string> {
  const { personId, workspaceId, clientId, memberSince, held, scopes, denied, limit } = decision
  const existing = held === undefined ? undefined : await provider.Grant.find(held._id)
  const grant = existing ?? new provider.Grant({ accountId: personId, clientId })
  const protocolScopes = String(interaction.params.scope)
    .split(' ')
    .filter((scope) => PROTOCOL_SCOPES.has(scope))
  writeScopes(grant, mcpResources(ctx.config.urls), [...scopes, ...protocolScopes], denied)
  const grantId = await grant.save()

  const client = await provider.Client.find(clientId)
  const now = new Date()
  await ctx.grants.updateOne(
    { _id: grantId },
    {
      $set: {
        workspaceId,
        memberSince,
        scopes,
        clientName: client?.clientName ?? '',
        ...(limit && { access: limit }),
        ...(existing === undefined && { 'alarms.connected': now, alarmDueAt: now }),
      },
      ...(limit === undefined && { $unset: { access: 1 } }),
    },
  )
  if (existing === undefined) ctx.wake.alarms()
  await extendClient(ctx, clientId, new Date(Date.now() + grant.remainingTTL * 1000))
  return grantId
}

/** Another browser, or another membership, does not hold it: an app that is connected there is a new connection. */
export async function findHeldGrant(
  ctx: Context,
  grantId: string | undefined,
  { memberSince, clientId, ...owner }: Holder,
): Promise<HeldAccess | undefined> {
  if (grantId === undefined) return undefined
  // Excludes a grant from an earlier membership: it has ended or is about to.
  const inThisMembership = { memberSince: { $in: [memberSince ?? null, null] } }
  const own = { _id: grantId, clientId, ...activeGrants(owner), ...inThisMembership }
  return (await ctx.grants.findOne(own, { scopes: 1, access: 1 }).lean()) ?? undefined
}

/** oidc-provider keeps scopes twice, as OIDC scopes and per resource. Both must match. */
function writeScopes(grant: Grant, resources: readonly string[], granted: string[], denied: string[]): void {
  grant.openid = undefined
  grant.resources = undefined
  grant.rejected = undefined
  grant.addOIDCScope(granted)
  for (const resource of resources) grant.addResourceScope(resource, granted)
  if (denied.length === 0) return
  grant.rejectOIDCScope(denied)
  for (const resource of resources) grant.rejectResourceScope(resource, denied)
}
