import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'
import type { SignUp } from '@family-inbox/workspace-kit/sign-up'
import {
  BODY_CHARACTERS,
  type CataloguedTool,
  PREVIEW_CHARACTERS,
  serverInfo,
  TOOLS,
} from '@family-inbox/workspace-kit/tool-catalogue'
import type { Config, Operator } from '../config.ts'

export const FACTS = {
  name: serverInfo.title,
  sentence:
    'One shared inbox and care circle for a family that cares for someone, open to the AI assistants the family already uses.',
  documentVersion: '1.0.0',
} as const

/** Returns the values for `{{…}}` in the Markdown pages. */
export function placeholders({
  urls,
  limits,
  operator,
  signUp,
  hasSandbox,
}: Pick<Config, 'urls' | 'limits' | 'operator' | 'signUp' | 'hasSandbox'>): Record<string, string> {
  const endpoints = endpointsOf(urls)
  return {
    open_to_all: signUp === 'open' ? 'yes' : '',
    sandbox: hasSandbox ? 'yes' : '',
    how_to_join: HOW_TO_JOIN[signUp],
    base_url: urls.base,
    inbox_url: urls.inbox,
    mcp_url: endpoints.mcp,
    sandbox_url: endpoints.sandbox,
    pipe_url: endpoints.pipe,
    calls_per_minute: `${limits.callsPerMinute}`,
    preview_characters: `${PREVIEW_CHARACTERS}`,
    body_characters: `${BODY_CHARACTERS}`,
    sandbox_bucket: `${limits.sandboxBucket}`,
    sandbox_refill_minutes: `${Math.ceil(limits.sandboxRefillSec / 60)}`,
    sandbox_days: `${Math.round(limits.sandboxTtlHours / 24)}`,
    calls_kept_days: `${limits.callsKeptDays}`,
    operator_sentence: operatorSentence(operator),
    authority_country: operator === undefined ? '' : `, or in ${operator.country}`,
    mail_kept: mailKept(limits.mailKeptDays),
    tools: toolTable(),
  }
}

const HOW_TO_JOIN: Record<SignUp, string> = {
  open: '',
  invited: 'This installation takes new people by invitation. If your family is here, ask it to invite you.',
  closed: 'This installation isn’t taking new people at the moment. Families that are here can sign in.',
}

function operatorSentence(operator: Operator | undefined): string {
  if (operator === undefined)
    return 'This installation is a trial on one machine: whoever started it runs it, and nobody else can reach it.'
  const { name, contact, country } = operator
  return `${plain(name)} in ${plain(country)} runs this installation and is responsible for what it stores. Write to [${contact}](mailto:${contact}).`
}

/** A name may have characters that mean something in Markdown. */
function plain(name: string): string {
  return name.replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&')
}

function mailKept(days: number | undefined): string {
  if (days === undefined) return 'for as long as your family uses this service'
  return `for ${days} days after it arrived, and no longer than your family uses this service`
}

function toolTable(): string {
  const rows = TOOLS.map(({ name, summary, kind, scope }: CataloguedTool) => {
    return `| \`${name}\` | ${summary} | ${kind} | ${scope === undefined ? 'none' : `\`${scope}\``} |`
  })
  return ['| Tool | What it does | Kind | Scope |', '|---|---|---|---|', ...rows].join('\n')
}
