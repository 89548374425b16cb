import type { StartWorkspaceRequest } from '@family-inbox/proto/sandbox/v1/sandbox'
import { requireEmail, requireLine } from '@family-inbox/service-kit/text/text-rules'
import { readCareContext } from './care-context.ts'
import { readInviteDrafts } from './invite-drafts.ts'

const MAX_NAME = 60
const MAX_FAMILY_NAME = 120

/** A validated start request (SPEC "Public sandbox endpoint"). */
export type StartRequest = {
  lovedOneName: string
  familyName: string
  /** The name after a claim. */
  workspaceName: string
  primaryCaregiverEmail?: string
  /** Folded for comparison: whoever proves this email may claim. */
  claimEmail?: string
  careContext: string
  inviteDrafts: string[]
}

/**
 * Validates the arguments of StartWorkspace.
 * @throws StatusError INVALID_ARGUMENT naming the field
 */
export function readStartRequest(request: StartWorkspaceRequest): StartRequest {
  const first = requireLine('lovedOneFirstName', request.lovedOneFirstName, MAX_NAME)
  const last = requireLine('lovedOneLastName', request.lovedOneLastName, MAX_NAME)
  const { primaryCaregiverEmail } = request
  return {
    lovedOneName: `${first} ${last}`,
    ...readNames(request.familyName, last),
    ...(primaryCaregiverEmail !== undefined && {
      primaryCaregiverEmail: primaryCaregiverEmail.trim(),
      claimEmail: requireEmail('primaryCaregiverEmail', primaryCaregiverEmail),
    }),
    careContext: readCareContext(request.careContext),
    inviteDrafts: readInviteDrafts(request.familyMemberEmails),
  }
}

function readNames(familyName: string, lastName: string): Pick<StartRequest, 'familyName' | 'workspaceName'> {
  if (familyName === '') return { familyName: `${lastName} family (sandbox)`, workspaceName: `${lastName} family` }
  const name = requireLine('familyName', familyName, MAX_FAMILY_NAME)
  return { familyName: name, workspaceName: name }
}
