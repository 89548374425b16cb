import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import { z } from 'zod'
import { defineTool } from './tool.ts'

const methodOf: Record<CredentialKind, string> = {
  [CredentialKind.TOOL_KEY]: 'key',
  [CredentialKind.SESSION]: 'session',
  [CredentialKind.ACCESS_TOKEN]: 'oauth',
  [CredentialKind.PERSON]: 'other',
  [CredentialKind.UNSPECIFIED]: 'other',
  [CredentialKind.UNRECOGNIZED]: 'other',
}

export const ping = defineTool({
  description: 'Check the connection to this server: who is calling, for which workspace (tenant), and how.',
  input: z.strictObject({}),
  output: z.strictObject({
    callerId: z.string(),
    tenant: z.string(),
    authMethod: z.string(),
  }),
  async call(_input, { ctx, caller, on }) {
    const { personId, workspaceId } = await ctx.requireMember(on)
    return { callerId: personId, tenant: workspaceId, authMethod: methodOf[caller.kind] }
  },
})
