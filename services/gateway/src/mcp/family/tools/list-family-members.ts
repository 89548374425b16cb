import { z } from 'zod'
import { roleName, statusName } from '../fields/wire-names.ts'
import { defineTool } from './tool.ts'

export const listFamilyMembers = defineTool({
  description:
    'List who is in the care circle: owner, coordinators and viewers, how they are related, their email, and whether they accepted their invitation. Viewers can only read.',
  input: z.strictObject({}),
  output: z.strictObject({
    members: z.array(
      z.strictObject({
        name: z.string(),
        role: z.string(),
        relationship: z.string(),
        status: z.string(),
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
