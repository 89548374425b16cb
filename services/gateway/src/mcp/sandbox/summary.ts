import type { StartResult } from './start-tool.ts'

export const DRAFT_NOTE =
  'Draft only: nothing was sent. It becomes an invitation if the person who claims the workspace chooses so.'

/** What was made, for people: how to claim it and until when, or that nobody can. */
export function summarize(result: StartResult, lovedOneName: string, inboxUrl: string): string {
  const { familyName, inboxAddress, inviteDrafts, primaryCaregiverEmail, expiresAt } = result
  const end = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const claim =
    primaryCaregiverEmail === undefined
      ? `Nobody can claim this workspace, because no primaryCaregiverEmail was given. It is removed with all that is in it on ${end}. To have one that can be kept, start another with primaryCaregiverEmail.`
      : `To claim it, sign in at ${inboxUrl}/onboarding as ${primaryCaregiverEmail} before ${end}. Nobody else can. If nobody does, it is removed then with all that is in it.`
  const drafts =
    inviteDrafts.length === 0
      ? 'No mail of any kind was sent.'
      : `Invitations drafted: ${inviteDrafts.length}. No mail of any kind was sent; whoever claims the workspace decides which drafts become invitations.`
  return [
    `Sandbox workspace “${familyName}” is open for ${lovedOneName}.`,
    `Inbox address: ${inboxAddress}. Mail that arrives there waits for whoever claims the workspace, and cannot be read here.`,
    claim,
    drafts,
  ].join('\n')
}
