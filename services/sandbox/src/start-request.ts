import type { StartWorkspaceRequest } from '@family-inbox/proto/sandbox/v1/sandbox'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, requireEmail, requireLine } from '@family-inbox/service-kit/rpc/text-rules'

const MAX_NAME = 60
const MAX_FAMILY_NAME = 120
const MAX_DRAFTS = 8
const MAX_CHARACTERS = 2000
/** The longest run of combining marks in real writing. */
const UNITS_PER_CHARACTER = 64

/** Controls except tab and line feed, and direction overrides. */
const NOT_TEXT = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A validated start request (SPEC "Public sandbox endpoint"). */
export type StartRequest = {
  lovedOneName: string
  familyName: string
  workspaceName: string
  primaryCaregiverEmail?: string
  /** Folded for comparison: whoever proves this email may claim. */
  claimEmail?: string
  careContext: string
  inviteDrafts: string[]
}

/** Throws INVALID_ARGUMENT that names the field. */
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

/** At most 2000 characters as a person counts them; no control characters. */
export function readCareContext(value: string): string {
  const text = value
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .normalize('NFC')
    .trim()
  if (NOT_TEXT.test(text)) throw invalidArgument('careContext', 'careContext must be plain text.')
  if (isTooLong(text)) throw invalidArgument('careContext', `careContext must be at most ${MAX_CHARACTERS} characters.`)
  return text
}

function isTooLong(text: string): boolean {
  if (text.length <= MAX_CHARACTERS) return false
  if (text.length > MAX_CHARACTERS * UNITS_PER_CHARACTER) return true
  let count = 0
  for (const _ of graphemes.segment(text)) {
    count += 1
    if (count > MAX_CHARACTERS) return true
  }
  return false
}

/** Each address once, in its first spelling; at most 8. */
export function readInviteDrafts(emails: string[]): string[] {
  const drafts = new Map<string, { written: string; position: number }>()
  for (const [position, email] of emails.entries()) {
    const written = email.trim().normalize('NFC')
    const same = foldEmail(email)
    if (!drafts.has(same)) drafts.set(same, { written, position })
  }
  if (drafts.size > MAX_DRAFTS)
    throw invalidArgument(
      'familyMemberEmails',
      `familyMemberEmails must hold at most ${MAX_DRAFTS} different addresses.`,
    )
  for (const { written, position } of drafts.values()) requireEmail(`familyMemberEmails[${position}]`, written)
  return [...drafts.values()].map(({ written }) => written)
}
