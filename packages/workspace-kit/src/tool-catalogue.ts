import { PRODUCT } from './product.ts'

export type CataloguedTool = {
  name: string
  title: string
  summary: string
  kind: 'read' | 'write'
  scope?: Scope
}

/** Every tool of the family tool server (SPEC "Tools"), in the order agents use them. */
export const TOOLS = [
  {
    name: 'ping',
    title: 'Ping',
    summary: 'Check the connection: who is calling, for which workspace, and how.',
    kind: 'read',
  },
  {
    name: 'get_user_profile',
    title: 'Who am I',
    summary: 'Read who you act for and which workspace you are in.',
    kind: 'read',
    scope: 'profile:read',
  },
  {
    name: 'list_loved_ones',
    title: 'List loved ones',
    summary: 'List the people this workspace looks after, with their inbox addresses.',
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
    summary: 'Reply to a message by email, on behalf of the family member you act for.',
    kind: 'write',
    scope: 'care_circle:write',
  },
] as const satisfies readonly CataloguedTool[]

export type ToolName = (typeof TOOLS)[number]['name']

/** The scopes of a credential (SPEC "Scopes"). `audit:read` is internal and never offered. */
type Scope = 'profile:read' | 'care_circle:read' | 'care_circle:write'

export const OFFERED_SCOPES: readonly Scope[] = ['profile:read', 'care_circle:read', 'care_circle:write']

// Limits of tools (SPEC "Limits"). Lengths are in UTF-16 code units.

export const PREVIEW_CHARACTERS = 280
export const BODY_CHARACTERS = 8000
export const MOST_LISTED = 50

export const serverInfo = { name: 'app.service/family-inbox', title: PRODUCT, version: '0.3.0' } as const

export const SERVER_DESCRIPTION = 'One family’s shared inbox and care circle, for the agents the family uses.'

/** The MCP revisions with a handshake. Clients that ask for another one get the first (SPEC "Versioning"). */
export const HANDSHAKE_REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const

/** The MCP revision without a handshake. */
export const STATELESS_REVISION = '2026-07-28'

/** How the public descriptions name what is spoken here. */
export const spokenRevisions = {
  protocolVersion: HANDSHAKE_REVISIONS[0],
  protocolVersions: [...HANDSHAKE_REVISIONS, STATELESS_REVISION],
} as const
