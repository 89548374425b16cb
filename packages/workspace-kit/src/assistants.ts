import { AssistantRule, type Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Principal } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

/** Assistants reach the services through the gateway only, whatever their credential; people use the site. */
export function isAssistant({ holder }: Pick<Principal, 'holder'>): boolean {
  return holder === 'gateway'
}

/** For what an assistant must never do for its person, such as approving what it wrote. */
export function requirePerson(call: Call): void {
  if (requirePrincipal(call).holder === 'site') return
  throw new StatusError('PERMISSION_DENIED', 'Only a member of the family can do this, in the application.')
}

/** Whether what the caller writes waits for a member, always or because of what it read. */
export function needsApproval({ assistantRule }: Membership): boolean {
  return assistantRule === AssistantRule.APPROVAL || assistantRule === AssistantRule.GUARDED
}

/** The words an agent gets, and may show its person. */
export const REFUSALS: Partial<Record<AssistantRule, string>> = {
  [AssistantRule.PAUSED_BY_PERSON]:
    'Assistants of the person you act for are paused, so nothing was done. Only that person can resume them, in the application under Settings, Your assistants. Do not try again before they tell you.',
  [AssistantRule.PAUSED_BY_OWNER]:
    'All assistants of this family are paused, so nothing was done. Only the owner can resume them, in the application under Settings, Your assistants. Do not try again until they do.',
  [AssistantRule.READ]:
    'You may only read, so nothing was done. The person you act for can change that in the application under Settings, Your assistants.',
  [AssistantRule.APPROVAL]:
    'What you write has to be approved by the family, and this cannot wait for approval, so nothing was done. The person you act for can do it in the application.',
  [AssistantRule.GUARDED]:
    'You read mail from an unverified sender, so what you write next has to be approved by the family, and this cannot wait for approval. Nothing was done. The person you act for can do it in the application. You can try again after a family member has sent or declined something that you propose.',
}
