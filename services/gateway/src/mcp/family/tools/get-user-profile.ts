import { z } from 'zod'
import { roleName } from '../fields/wire-names.ts'
import { defineTool } from './tool.ts'

export const getUserProfile = defineTool({
  description: 'Read who you act for: name, email and role of the person, and which family’s workspace this is.',
  input: z.strictObject({}),
  output: z.strictObject({
    name: z.string(),
    email: z.string(),
    role: z.string(),
    workspace: z.strictObject({ id: z.string(), name: z.string(), plan: z.string() }),
  }),
  async call(_input, { ctx, on }) {
    const { name, email, role, workspaceId, workspaceName, plan } = await ctx.careCircle.getProfile({}, on)
    return { name, email, role: roleName[role], workspace: { id: workspaceId, name: workspaceName, plan } }
  },
})
