import { TOOLS, type ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
import type { Tool } from '../tool.ts'
import { createProviderCode } from './create-provider-code.ts'
import { getInboxMessage } from './get-inbox-message.ts'
import { getUserProfile } from './get-user-profile.ts'
import { inviteFamilyMember } from './invite-family-member.ts'
import { listCareEvents } from './list-care-events.ts'
import { listFamilyMembers } from './list-family-members.ts'
import { listInboxMessages } from './list-inbox-messages.ts'
import { listLovedOnes } from './list-loved-ones.ts'
import { ping } from './ping.ts'
import { replyToInboxMessage } from './reply-to-inbox-message.ts'

/** One for each tool of the catalogue; the compiler asks for all of them. */
const toolOf: Record<ToolName, Tool> = {
  ping,
  get_user_profile: getUserProfile,
  list_loved_ones: listLovedOnes,
  list_family_members: listFamilyMembers,
  list_inbox_messages: listInboxMessages,
  get_inbox_message: getInboxMessage,
  list_care_events: listCareEvents,
  invite_family_member: inviteFamilyMember,
  create_provider_code: createProviderCode,
  reply_to_inbox_message: replyToInboxMessage,
}

/** Every tool of the family tool server, in the order agents use them. */
export const tools: readonly Tool[] = TOOLS.map(({ name }) => toolOf[name])
