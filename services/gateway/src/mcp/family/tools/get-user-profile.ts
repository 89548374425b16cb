import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { roleWord } from '../words.ts'

export const getUserProfile = defineTool('get_user_profile', {
  description:
    'Read the name and email of the person you act for, their role, and the name, id and plan of their household’s workspace. Call it first to confirm that you are in the right household.',
  input: z.strictObject({}),
  output: z.strictObject({
    name: z.string(),
    email: z.string(),
    role: z.enum(['owner', 'coordinator', 'viewer']),
    workspace: z.strictObject({ id: z.string(), name: z.string(), plan: z.string() }),
  }),
  async call(_input, { ctx, on }) {
    const { name, email, role, workspaceId, workspaceName, plan } = await ctx.careCircle.getProfile({}, on)
    return { name, email, role: roleWord[role], workspace: { id: workspaceId, name: workspaceName, plan } }
  },
})
