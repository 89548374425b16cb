import { TOOLS, type ToolName } from '@family-inbox/workspace-kit/tool-catalogue'
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
import type { Tool, ToolDefinition } from './tool.ts'

/** A new tool of the catalogue does not compile until it is defined here. */
const definitions: Record<ToolName, ToolDefinition> = {
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

export const tools: readonly Tool[] = TOOLS.map((facts) => ({ ...facts, ...definitions[facts.name] }))
