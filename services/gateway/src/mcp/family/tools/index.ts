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

/** Every tool of the family tool server, in the order agents use them. */
export const tools: readonly Tool[] = [
  ping,
  getUserProfile,
  listLovedOnes,
  listFamilyMembers,
  listInboxMessages,
  getInboxMessage,
  listCareEvents,
  inviteFamilyMember,
  createProviderCode,
  replyToInboxMessage,
]
