import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { z } from 'zod'
import { idempotencyKey, text, time } from '../fields/fields.ts'
import { toProposalFields } from '../fields/proposal-fields.ts'
import { defineTool } from './tool.ts'

const roleOf = { coordinator: Role.COORDINATOR, viewer: Role.VIEWER } as const

export const inviteFamilyMember = defineTool({
  description:
    'Invite someone to the care circle by email, as coordinator, who can reply and invite, or as viewer. Viewers cannot invite.',
  reachesOutside: true,
  proposes: true,
  input: z.strictObject({
    email: text('email', 254, 'Whom to invite.'),
    role: z
      .enum(['coordinator', 'viewer'], { error: 'role must be coordinator or viewer.' })
      .describe('What the person may do.'),
    relationship: text('relationship', 60, 'Such as daughter or neighbor.').optional(),
    message: text('message', 500, 'A note in the invitation.').optional(),
    idempotencyKey,
  }),
  output: z.strictObject({
    invitationId: z.string().optional(),
    email: z.string(),
    role: z.string(),
    status: z.string(),
    proposalId: z.string().optional(),
    expiresAt: time.optional(),
    reason: z.string().optional(),
  }),
  async confirmation(input) {
    const { email, role, message } = input
    const note = message === undefined ? '' : `\n\nYour note:\n${message}`
    return { question: `Invite ${email} to the care circle as ${role}?${note}`, input }
  },
  async call(
    { email, role, relationship = '', message = '', idempotencyKey = '' },
    { ctx, caller, clientAddress, on },
  ) {
    const assistant = caller.credentialName
    const request = { email, role: roleOf[role], relationship, message, idempotencyKey, assistant, clientAddress }
    const { invitationId, expiresAt, proposal } = await ctx.careCircle.inviteMember(request, on)
    const invited = { ...(invitationId !== '' && { invitationId }), email, role }
    if (proposal !== undefined) return { ...invited, ...toProposalFields(proposal) }
    return { ...invited, status: 'invited', expiresAt: expiresAt?.toISOString() ?? '' }
  },
})
