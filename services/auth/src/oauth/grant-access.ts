import type Provider from 'oidc-provider'
import type { Grant, Interaction } from 'oidc-provider'
import type { Context } from '../context.ts'
import { PROTOCOL_SCOPES } from '../scopes.ts'
import { extendClient } from './record-adapter.ts'
import { mcpResources } from './resource.ts'

const APPROVAL = { access: 'approval' } as const

type Decision = {
  personId: string
  workspaceId: string
  memberSince?: Date
  requested: readonly string[]
  granted: readonly string[]
  needsApproval: boolean
}

/** Adds to the grant for this person and workspace, or creates one. @returns the grant's id */
export async function grantAccess(
  ctx: Context,
  provider: Provider,
  interaction: Interaction,
  decision: Decision,
): Promise<string> {
  const { personId, workspaceId, memberSince, requested, granted, needsApproval } = decision
  const clientId = String(interaction.params.client_id)
  const held = await findCurrentGrant(ctx, interaction.grantId, { personId, workspaceId, clientId, memberSince })
  const denied = requested.filter((scope) => !granted.includes(scope))
  const scopes = [...new Set([...held.scopes, ...granted])].filter((scope) => !denied.includes(scope))

  const existing = held.grantId === undefined ? undefined : await provider.Grant.find(held.grantId)
  const grant = existing ?? new provider.Grant({ accountId: personId, clientId })
  const protocolScopes = String(interaction.params.scope)
    .split(' ')
    .filter((scope) => PROTOCOL_SCOPES.has(scope))
  writeScopes(grant, mcpResources(ctx.config.urls), [...scopes, ...protocolScopes], denied)
  const grantId = await grant.save()

  const client = await provider.Client.find(clientId)
  await ctx.grants.updateOne(
    { _id: grantId },
    {
      $set: { workspaceId, memberSince, scopes, clientName: client?.clientName ?? '', ...(needsApproval && APPROVAL) },
      ...(!needsApproval && { $unset: { access: 1 } }),
    },
  )
  await extendClient(ctx, clientId, new Date(Date.now() + grant.remainingTTL * 1000))
  return grantId
}

async function findCurrentGrant(
  ctx: Context,
  grantId: string | undefined,
  { memberSince, ...owner }: { personId: string; workspaceId: string; clientId: string; memberSince?: Date },
): Promise<{ grantId?: string; scopes: string[] }> {
  // Excludes a grant from an earlier membership: it has ended or is about to.
  const inThisMembership = { memberSince: { $in: [memberSince ?? null, null] } }
  const live = { _id: grantId, revokedAt: null, ...owner, ...inThisMembership }
  const grant = grantId && (await ctx.grants.findOne(live, { scopes: 1 }).lean())
  return grant ? { grantId: grant._id, scopes: grant.scopes } : { scopes: [] }
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
