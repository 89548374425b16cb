import { z } from 'zod'

export const startTool = {
  name: 'start_family_care_workspace',
  title: 'Start a sandbox family workspace',
  summary: 'Create a sandbox workspace for one loved one, with an inbox address, that a person can claim later.',
  description:
    'Create a sandbox workspace for one loved one, with a private inbox address. It sends no mail. The person who signs in with primaryCaregiverEmail can claim it until it expires; without that address, nobody can. The second text block of the result is the workspace as JSON.',
  input: z.strictObject({
    lovedOneFirstName: text('lovedOneFirstName', 'The loved one’s first name, 1 to 60 characters.').meta({
      minLength: 1,
    }),
    lovedOneLastName: text('lovedOneLastName', 'The loved one’s last name, 1 to 60 characters.').meta({ minLength: 1 }),
    familyName: text(
      'familyName',
      'The name of the workspace, up to 120 characters. The default comes from the last name.',
    ).optional(),
    primaryCaregiverEmail: text(
      'primaryCaregiverEmail',
      'The email address of the person who will claim the workspace. Only a person who proves this address can claim it.',
    )
      .meta({ format: 'idn-email' })
      .optional(),
    careContext: text(
      'careContext',
      'What a helper should know about the situation: plain text, up to 2000 characters.',
    ).optional(),
    familyMemberEmails: z
      .array(text('familyMemberEmails', 'An email address.').meta({ format: 'idn-email' }), {
        error: 'familyMemberEmails must be a list of email addresses.',
      })
      .describe('Family members to draft invitations for, at most 8 different addresses. Nobody is emailed.')
      .optional(),
    // Gemini refuses `const` in arguments, so this is no literal.
    sandbox: z
      .boolean({ error: 'sandbox must be true.' })
      .refine((value) => value, { error: 'sandbox must be true.' })
      .describe('Must be true: this is a sandbox.'),
  }),
  output: z.strictObject({
    workspaceId: z.string(),
    lovedOneId: z.string(),
    inboxAddress: z.string(),
    familyName: z.string(),
    inviteDrafts: z.array(
      z.strictObject({
        email: z.string(),
        role: z.literal('caregiver'),
        status: z.literal('draft'),
        note: z.string(),
      }),
    ),
    sandbox: z.literal(true),
    primaryCaregiverEmail: z.string().optional().describe('As you sent it.'),
    expiresAt: z.iso.datetime().describe('When the workspace is deleted if nobody claims it.'),
  }),
}

export type StartInput = z.infer<typeof startTool.input>

export type StartResult = z.infer<typeof startTool.output>

/** The sandbox service decides what the text may contain; lone surrogates never pass. */
function text(field: string, description: string) {
  const error = (issue: { input?: unknown }) =>
    issue.input === undefined ? `${field} is required.` : `${field} must be text.`
  return z
    .string({ error })
    .refine((value) => value.isWellFormed(), { error: `${field} must be text.` })
    .describe(description)
}
