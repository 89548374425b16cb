import { newId } from '@family-inbox/service-kit/ids/ids'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { Person } from '../models/person.ts'
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '../models/session.ts'
import { hashSecret, newSecret } from '../secret.ts'
import { type ActiveSession, principalOf } from './active-session.ts'

const WORKSPACE_TIMEOUT_MS = 800

export async function beginSession(
  ctx: Context,
  { _id: personId, email }: Person,
  userAgent: string,
  by?: 'passkey',
): Promise<{ secret: string; endsAt: Date }> {
  const _id = newId('ses')
  const createdAt = new Date()
  const secret = newSecret()
  const endsAt = new Date(createdAt.getTime() + SESSION_LIFETIME_MS)
  const workspaceId = await chooseWorkspace(ctx, { _id, personId, email, workspaceId: '', createdAt })
  await ctx.sessions.insertOne({
    _id,
    hash: hashSecret(secret),
    personId,
    email,
    workspaceId,
    userAgent: describeUserAgent(userAgent),
    createdAt,
    ...(by === 'passkey' && { passkeyAt: createdAt }),
    lastUsedAt: createdAt,
    expiresAt: new Date(createdAt.getTime() + SESSION_IDLE_MS),
    endsAt,
    calls: [],
  })
  return { secret, endsAt }
}

/** A former one when there is no other, so that the site can say why. Empty when care-circle does not answer. */
async function chooseWorkspace(ctx: Context, session: ActiveSession): Promise<string> {
  try {
    const [token, lastUsed] = await Promise.all([
      principalOf(ctx, session, ctx.identity.service),
      lastWorkspaceOf(ctx, session.personId),
    ])
    const { workspaces } = await ctx.careCircle.listWorkspaces(
      {},
      { token, deadline: Date.now() + WORKSPACE_TIMEOUT_MS },
    )
    return (workspaces.find(({ id }) => id === lastUsed) ?? workspaces[0])?.id ?? lastUsed ?? ''
  } catch (error) {
    ctx.logger.warn(describeError(error), 'signing in without a selected workspace')
    return ''
  }
}

async function lastWorkspaceOf(ctx: Context, personId: string): Promise<string | undefined> {
  const sessions = await ctx.sessions
    .find({ personId, workspaceId: { $ne: '' } }, { workspaceId: 1 })
    .sort({ lastUsedAt: -1 })
    .limit(1)
    .lean()
  return sessions[0]?.workspaceId
}

const BROWSERS: [name: string, sign: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: [name: string, sign: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Chrome OS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

/** The header itself is not kept: it identifies devices too well. */
export function describeUserAgent(userAgent: string): string {
  const browser = nameOf(BROWSERS, userAgent) ?? 'A browser'
  const system = nameOf(SYSTEMS, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}

function nameOf(known: [name: string, sign: RegExp][], userAgent: string): string | undefined {
  return known.find(([, sign]) => sign.test(userAgent))?.[0]
}
