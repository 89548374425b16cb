import { type EnteredWorkspace, type Member, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Cookie } from './cookies.ts'
import { enter } from './enter.ts'
import { type Html, html } from './html.ts'
import type { SectionId } from './page.ts'
import { asPerson, isForm, type Session, signInFirst, unlessSignedOut } from './session.ts'
import { readUrgentBar } from './urgent-bar.ts'
import { type Reply, type Visit, type VisitHandler, withTimeout } from './visit.ts'

/** The workspace the reader is in; auth and care-circle resolve it for every request. */
export type Workspace = {
  session: WorkspaceSession
  id: string
  name: string
  role: Role
  /** True for owners and coordinators. */
  canWrite: boolean
  lovedOnes: LovedOne[]
  /** In the order they joined. */
  members: Member[]
  /** The names of all members. */
  nameOf: ReadonlyMap<string, string>
  /** The family’s name for the reader. */
  ownName: string
  hasOthers: boolean
  /** Whether something urgent waits for somebody to take it; undefined if that is not known. */
  hasUrgent?: boolean | undefined
  /** What assistants wrote and the reader can approve. */
  waitingInvitations: number
  /** Whether the owner asks all members to sign in with a passkey only. */
  passkeysAsked?: boolean | undefined
  /** Where that is asked: the members who do, for the owner, or the reader alone. */
  passkeyOnlyIds: readonly string[]
}

/** Without the name that is the person’s own everywhere: see `ownName`. */
type WorkspaceSession = Omit<Session, 'name'>

export type LovedOne = {
  id: string
  name: string
  /** Index in the order they were added; decides their color. */
  position: number
}

export type WorkspaceHandler = (visit: Visit, workspace: Workspace) => Promise<Reply>

type Otherwise = { signedOut: VisitHandler; elsewhere: VisitHandler }

const SIGN_IN_OR_CHOOSE: Otherwise = { signedOut: signInFirst, elsewhere: async () => ({ redirectTo: '/families' }) }

/** Wraps a handler for members. Everyone else is sent to sign in, or to choose or create a workspace, or gets `otherwise`. */
export function inWorkspace(ctx: Context, handler: WorkspaceHandler, otherwise = SIGN_IN_OR_CHOOSE): VisitHandler {
  return async (visit) => {
    const sendsForm = isForm(visit)
    const ask = (session: string) => enter(ctx, visit, { session, sendsForm })
    const entered = await unlessSignedOut(visit, ask)
    if (entered === undefined) return otherwise.signedOut(visit)
    const { workspace, passkeyOnlyIds, ...session } = entered
    if (workspace === undefined) return otherwise.elsewhere(visit)
    const member = toWorkspace(session, workspace, passkeyOnlyIds)
    visit.setSection({ id: sectionOf(visit.path), workspace: member })
    const { visit: known, cookies } = await withStoredZone(ctx, visit, member)
    const reply = await withUrgentBar(ctx, handler, known, member)
    return cookies.length === 0 ? reply : { ...reply, cookies: [...cookies, ...(reply.cookies ?? [])] }
  }
}

/** A page with times of UTC is better than a slow one. */
const ZONE_TIMEOUT_MS = 400

/** Of a browser that has not said its time zone, as without scripts: the one from the reader's settings, from this page on. */
async function withStoredZone(
  ctx: Context,
  visit: Visit,
  { session }: Workspace,
): Promise<{ visit: Visit; cookies: Cookie[] }> {
  if (visit.cookies.timeZone !== '') return { visit, cookies: [] }
  const call = asPerson(session, withTimeout(visit, ZONE_TIMEOUT_MS))
  const stored = await ctx.inbox.getNotifications({}, call).catch(() => undefined)
  if (stored === undefined) return { visit, cookies: [] }
  const timeZone = stored.timeZone || 'UTC'
  return {
    visit: { ...visit, clock: { ...visit.clock, timeZone } },
    cookies: [{ name: 'timeZone', value: timeZone }],
  }
}

const SECTIONS: Record<string, SectionId> = {
  '': 'inbox',
  inbox: 'inbox',
  approvals: 'inbox',
  junk: 'inbox',
  deleted: 'inbox',
  'to-dos': 'inbox',
  timeline: 'timeline',
  appointments: 'appointments',
  'care-circle': 'care-circle',
  'emergency-sheets': 'care-circle',
  settings: 'settings',
  connect: 'settings',
}

function sectionOf(path: string): SectionId | undefined {
  const [, room = ''] = path.split('/')
  return Object.hasOwn(SECTIONS, room) ? SECTIONS[room] : undefined
}

async function withUrgentBar(
  ctx: Context,
  handler: WorkspaceHandler,
  visit: Visit,
  workspace: Workspace,
): Promise<Reply> {
  if (isForm(visit)) return handler(visit, workspace)
  const [reply, urgent] = await Promise.all([handler(visit, workspace), readUrgentBar(ctx, visit, workspace)])
  const asked = askedBar(visit, workspace)
  if (!(urgent || asked) || !('page' in reply) || !reply.page.section) return reply
  return { ...reply, page: { ...reply.page, urgent: html`${urgent}${asked}` } }
}

/** Until the reader did what the owner asks. Not on the page where they do it. */
function askedBar({ path }: Visit, { passkeysAsked, passkeyOnlyIds, session }: Workspace): Html | undefined {
  if (!passkeysAsked || passkeyOnlyIds.includes(session.personId) || path.startsWith('/settings/passkeys'))
    return undefined
  return html`<p class="notice">Your family’s owner asks everyone to sign in with a passkey only. <a href="/settings/passkeys">Set it up</a></p>`
}

function toWorkspace(
  person: Omit<WorkspaceSession, 'workspaceId'>,
  { lovedOnes, ...entered }: EnteredWorkspace,
  passkeyOnlyIds: string[],
): Workspace {
  const nameOf = new Map(entered.members.map(({ personId, name }) => [personId, name]))
  return {
    ...entered,
    passkeyOnlyIds,
    session: { ...person, workspaceId: entered.id },
    canWrite: entered.role !== Role.VIEWER,
    lovedOnes: lovedOnes.map((lovedOne, position) => ({ ...lovedOne, position })),
    nameOf,
    ownName: nameOf.get(person.personId) ?? '',
  }
}

/** @throws StatusError NOT_FOUND, also for a loved one of another family */
export function requireLovedOne({ lovedOnes }: Workspace, id: string): LovedOne {
  const lovedOne = lovedOnes.find((one) => one.id === id)
  if (lovedOne !== undefined) return lovedOne
  throw new StatusError('NOT_FOUND', 'This person is not in your care circle.')
}

export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof StatusError && error.status === 'NOT_FOUND') return undefined
  throw error
}

/** For pages with a form; the service checks the submitted form itself. */
export function requireWriter({ canWrite }: Workspace): void {
  if (canWrite) return
  throw new StatusError('PERMISSION_DENIED', 'Viewers can read but not make changes. Ask the owner or a coordinator.')
}

export function requireOwner({ role }: Workspace): void {
  if (role === Role.OWNER) return
  throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this. Ask them.')
}
