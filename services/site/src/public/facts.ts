import type { Config } from '../config.ts'

export type Tool = { name: string; summary: string; kind: 'read' | 'write'; scope: string | null }

/** What is the same on every page and in every file of the public site, whatever the installation. */
export const FACTS = {
  name: 'Family Care Inbox',
  sentence:
    'One shared inbox and care circle for a family that looks after someone, open to the AI assistants the family already uses.',
  /** The registry allows 100 characters. */
  shortDescription: 'A family’s shared care inbox: read its mail and timeline, reply, invite, link a provider.',
  serverName: 'app.service/family-inbox',
  serverVersion: '0.3.0',
  documentVersion: '1.0.0',
} as const

/** The tools as the gateway lists them (`GET {api_url}/mcp/v1`); a test holds the two against each other. */
export const TOOLS: readonly Tool[] = [
  read('ping', 'Check the connection: who is calling, for which household, and how.', null),
  read('get_user_profile', 'Read who you act for and which household you are in.', 'profile:read'),
  read('list_loved_ones', 'List the people this household looks after, with their inbox addresses.'),
  read('list_family_members', 'List who is in the care circle, with role, relationship, status and email.'),
  read('list_inbox_messages', 'List one loved one’s mail, newest first, with a short plain-text preview.'),
  read('get_inbox_message', 'Read one message as plain text, with the names and sizes of its attachments.'),
  read('list_care_events', 'List what care agencies reported for one loved one, newest first.'),
  write('invite_family_member', 'Invite somebody into the care circle by email, as coordinator or viewer.'),
  write('create_provider_code', 'Mint a code that links a care agency to one loved one.'),
  write('reply_to_inbox_message', 'Answer a message by email, on behalf of the family member you act for.'),
]

/** The words pages may use in `{{…}}`: the three addresses, the limits as they are set, and the list of tools. */
export function placeholders({ urls, limits }: Pick<Config, 'urls' | 'limits'>): Record<string, string> {
  return {
    base_url: urls.base,
    api_url: urls.api,
    inbox_url: urls.inbox,
    calls_per_minute: `${limits.callsPerMinute}`,
    preview_characters: '280',
    body_characters: '8000',
    sandbox_bucket: `${limits.sandboxBucket}`,
    sandbox_refill_minutes: `${Math.ceil(limits.sandboxRefillSec / 60)}`,
    sandbox_days: `${Math.round(limits.sandboxTtlHours / 24)}`,
    tools: toolTable(),
  }
}

function toolTable(): string {
  const rows = TOOLS.map(
    ({ name, summary, kind, scope }) => `| \`${name}\` | ${summary} | ${kind} | ${scopeCell(scope)} |`,
  )
  return ['| Tool | What it does | Kind | Scope |', '|---|---|---|---|', ...rows].join('\n')
}

function scopeCell(scope: string | null): string {
  return scope === null ? 'none' : `\`${scope}\``
}

function read(name: string, summary: string, scope: string | null = 'care_circle:read'): Tool {
  return { name, summary, kind: 'read', scope }
}

function write(name: string, summary: string): Tool {
  return { name, summary, kind: 'write', scope: 'care_circle:write' }
}
