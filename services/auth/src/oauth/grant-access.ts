import type { Grant, Interaction } from 'oidc-provider'
import type { Context } from '../context.ts'
import { PROTOCOL_SCOPES } from '../scopes.ts'
import { keepClient } from './client-adapter.ts'
import type { Provider } from './provider.ts'
import { mcpResources } from './resource.ts'

export type Decision = {
  personId: string
  workspaceId: string
  requested: readonly string[]
  /** Those of the requested that the person left ticked. */
  granted: readonly string[]
}

/**
 * Writes a decision into a grant: the one the application has, if it is of the same person and household, else a new one. An
 * earlier grant in another household stays what it was.
 * @returns the grant's id
 */
export async function grantAccess(
  ctx: Context,
  provider: Provider,
  interaction: Interaction,
  decision: Decision,
): Promise<string> {
  const { personId, workspaceId, requested, granted } = decision
  const clientId = String(interaction.params.client_id)
  const held = await findHeld(ctx, interaction.grantId, { personId, workspaceId, clientId })
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
  await ctx.grants.updateOne({ _id: grantId }, { workspaceId, scopes, clientName: client?.clientName ?? '' })
  await keepClient(ctx, clientId, new Date(Date.now() + grant.remainingTTL * 1000))
  return grantId
}

async function findHeld(
  ctx: Context,
  grantId: string | undefined,
  owner: { personId: string; workspaceId: string; clientId: string },
): Promise<{ grantId?: string; scopes: string[] }> {
  const grant = grantId && (await ctx.grants.findOne({ _id: grantId, revokedAt: null, ...owner }, { scopes: 1 }).lean())
  return grant ? { grantId: grant._id, scopes: grant.scopes } : { scopes: [] }
}

/** oidc-provider knows our scopes twice: as scopes of its own, and as those of each resource. Both must say the same. */
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
