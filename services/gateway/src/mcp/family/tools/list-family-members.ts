import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { roleName, statusName } from '../wire-names.ts'

export const listFamilyMembers = defineTool({
  description:
    'List who is in the care circle: name, role (owner, coordinator or viewer), relationship, status (active or invited) and email. Emails are personal data: use them only for what the family asked you to do.',
  input: z.strictObject({}),
  output: z.strictObject({
    members: z.array(
      z.strictObject({
        name: z.string(),
        role: z.enum(['owner', 'coordinator', 'viewer']),
        relationship: z.string(),
        status: z.enum(['active', 'invited']),
        email: z.string(),
      }),
    ),
  }),
  async call(_input, { ctx, on }) {
    const { members } = await ctx.careCircle.listMembers({}, on)
    return {
      members: members.map(({ name, role, relationship, status, email }) => ({
        name,
        role: roleName[role],
        relationship,
        status: statusName[status],
        email,
      })),
    }
  },
})
