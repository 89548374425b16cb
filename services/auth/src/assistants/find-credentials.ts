import type { AuditCredential } from '@family-inbox/proto/auth/v1/auth'
import type { Context } from '../context.ts'
export async function findCredentials(
  ctx: Context,
  workspaceId: string,
  used: { credentialId: string }[],
): Promise<AuditCredential[]> {
  if (used.length === 0) return []
  const ours = { workspaceId, _id: { $in: [...new Set(used.map(({ credentialId }) => credentialId))] } }
  const [keys, grants] = await Promise.all([
    ctx.toolKeys.find(ours, { name: 1 }).lean(),
    ctx.grants.find(ours, { clientName: 1 }).lean(),
  ])
  return [
    ...keys.map(({ _id, name }) => ({ id: _id, name })),
    ...grants.map(({ _id, clientName }) => ({ id: _id, name: clientName })),
  ]
}
