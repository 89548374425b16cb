/** What anyone may know of a tool. How it is called, and what it does, is in its own file in the gateway. */
export type CataloguedTool = {
  name: string
  title: string
  /** One line. */
  summary: string
  kind: 'read' | 'write'
  /** None: any valid credential. */
  scope?: Scope
}

/** Every tool of the family tool server (SPEC "Tools"), in the order agents use them. */
export const TOOLS = [
  {
    name: 'ping',
    title: 'Ping',
    summary: 'Check the connection: who is calling, for which family, and how.',
    kind: 'read',
  },
  {
    name: 'get_user_profile',
    title: 'Who am I',
    summary: 'Read who you act for and which family you are in.',
    kind: 'read',
    scope: 'profile:read',
  },
  {
    name: 'list_loved_ones',
    title: 'List loved ones',
    summary: 'List the people this family looks after, with their inbox addresses.',
    kind: 'read',
    scope: 'care_circle:read',
  },
  {
    name: 'list_family_members',
    title: 'List family members',
    summary: 'List who is in the care circle, with role, relationship, status and email.',
    kind: 'read',
    scope: 'care_circle:read',
  },
  {
    name: 'list_inbox_messages',
    title: 'List inbox messages',
    summary: 'List one loved one’s mail, newest first, with a short plain-text preview.',
    kind: 'read',
    scope: 'care_circle:read',
  },
  {
    name: 'get_inbox_message',
    title: 'Read a message',
    summary: 'Read one message as plain text, with the names and sizes of its attachments.',
    kind: 'read',
    scope: 'care_circle:read',
  },
  {
    name: 'list_care_events',
    title: 'List care events',
    summary: 'List what care agencies reported for one loved one, newest first.',
    kind: 'read',
    scope: 'care_circle:read',
  },
  {
    name: 'invite_family_member',
    title: 'Invite a family member',
    summary: 'Invite someone to the care circle by email, as coordinator or viewer.',
    kind: 'write',
    scope: 'care_circle:write',
  },
  {
    name: 'create_provider_code',
    title: 'Create a provider code',
    summary: 'Create a code that links a care agency to one loved one.',
    kind: 'write',
    scope: 'care_circle:write',
  },
  {
    name: 'reply_to_inbox_message',
    title: 'Reply to a message',
    summary: 'Answer a message by email, on behalf of the family member you act for.',
    kind: 'write',
    scope: 'care_circle:write',
  },
] as const satisfies readonly CataloguedTool[]

export type ToolName = (typeof TOOLS)[number]['name']

/** What a credential may be allowed to do, and the words for it (SPEC "Scopes"). `audit:read` is internal and never offered. */
type Scope = 'profile:read' | 'care_circle:read' | 'care_circle:write'

export const OFFERED_SCOPES: readonly Scope[] = ['profile:read', 'care_circle:read', 'care_circle:write']

/** Limits of what tools take and give (SPEC "Limits"), as anyone may know them. Lengths are in UTF-16 code units. */

/** Of a message's preview in a list. */
export const PREVIEW_CHARACTERS = 280
/** Of a message's body. */
export const BODY_CHARACTERS = 8000
/** The most entries one list may be asked for. */
export const MOST_LISTED = 50

/** The handshake's fixed facts (SPEC "Versioning"). */
export const serverInfo = { name: 'app.service/family-inbox', title: 'Family Care Inbox', version: '0.3.0' } as const

/** Answered to every `initialize`, whatever version the client asks for. */
export const protocolVersion = '2025-03-26'
