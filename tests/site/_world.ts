import { generateKeyPairSync } from 'node:crypto'
import { AuthServiceService } from '@family-inbox/proto/auth/v1/auth'
import {
  type Appointment,
  type AppointmentMail,
  type CalendarFeed,
  CareCircleServiceService,
  type CareEvent,
  type Member,
  type ProviderCode,
  Role,
  type ToDo,
  type Workspace,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { InboxServiceService } from '@family-inbox/proto/inbox/v1/inbox'
import { type LinkedProvider, PipeServiceService } from '@family-inbox/proto/pipe/v1/pipe'
import { type ClaimableSandbox, SandboxServiceService } from '@family-inbox/proto/sandbox/v1/sandbox'
import { type Call, type Handler, requirePrincipal, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Definition } from '@family-inbox/service-kit/rpc/definition'
import { createIdentity, type Identity } from '@family-inbox/service-kit/rpc/identity'
import { type GrpcServer, type Handlers, serveGrpc } from '@family-inbox/service-kit/rpc/serve'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { appointmentHandlers } from './world/_appointments.ts'
import {
  type ApprovalsWorld,
  approvalHandlers,
  assistantHandlers,
  changeHandlers,
  newApprovals,
} from './world/_approvals.ts'
import { circleHandlers, enteredWorkspace } from './world/_care-circle.ts'
import { emergencySheetHandlers, newSheet, type SheetWorld } from './world/_emergency-sheet.ts'
import { type InboxWorld, inboxPageHandlers, newInbox } from './world/_inbox.ts'
import { newSettings, notificationHandlers, type SettingsWorld, settingsHandlers } from './world/_settings.ts'
import { pipeHandlers, timelineHandlers } from './world/_timeline.ts'
import { toDoHandlers } from './world/_to-dos.ts'

/** The state behind the fake services: a family that a test can change. */
export type World = {
  person: { id: string; email: string; name: string }
  /** The secrets of the live sessions, all this person's. */
  sessions: Set<string>
  workspaceId: string
  workspaces: Workspace[]
  lovedOnes: { id: string; name: string; address?: string }[]
  /** The other members of the family, and the people invited. */
  members: Member[]
  /** Unused provider codes. */
  codes: ProviderCode[]
  /** Care events about loved ones. */
  careEvents: (CareEvent & { lovedOneId: string })[]
  appointments: Appointment[]
  toDos: ToDo[]
  calendarFeeds: CalendarFeed[]
  appointmentMail: AppointmentMail | undefined
  /** Of every loved one. */
  emergency: SheetWorld
  /** Linked agencies. */
  providers: LinkedProvider[]
  invitation?: { token: string; email: string; workspaceName: string; invitedByName: string; role: Role }
  consent?: { uid: string; clientName: string; clientUri: string; redirectHost: string; scopes: string[] }
  /** The family’s mail. */
  inbox: InboxWorld
  /** Keys, connected apps, devices and activity. */
  settings: SettingsWorld
  approvals: ApprovalsWorld
  /** Sandboxes that assistants opened for this person. */
  sandboxes: ClaimableSandbox[]
  /** Whether the first family can be set up, and whether the code still works. */
  setUp?: 'valid' | 'expired'
  /** Errors for the next call of a method, by its name. */
  failures: Map<string, StatusError>
  /** Answers as the services of the version before, which do not know EnterWorkspace and what is asked beside a message or an event. */
  isOlder?: boolean
  /** What a method waits for before it answers. */
  stalls: Map<string, Promise<void>>
  /** All calls, by method. */
  calls: { method: string; request: Record<string, unknown> }[]
}

export const CODE = '48291377'
export const SET_UP_CODE = 'abcd-efgh-jkmn-pqrs'

export function newWorld(): World {
  return {
    person: { id: 'per_ana', email: 'ana@example.org', name: 'Ana Martin' },
    sessions: new Set(),
    workspaceId: 'ws_martin',
    workspaces: [{ id: 'ws_martin', name: 'The Martin family', role: Role.OWNER }],
    lovedOnes: [{ id: 'lo_rosa', name: 'Rosa Martin', address: 'rosa-7k2m9q4x@family-inbox.test' }],
    members: [],
    codes: [],
    careEvents: [],
    appointments: [],
    toDos: [],
    calendarFeeds: [],
    appointmentMail: { changes: false, dayBefore: true, hoursBefore: false },
    emergency: newSheet(),
    providers: [],
    inbox: newInbox(),
    settings: newSettings(),
    approvals: newApprovals(),
    sandboxes: [],
    failures: new Map(),
    stalls: new Map(),
    calls: [],
  }
}

export type FakeServices = AsyncDisposable & {
  addresses: { auth: string; careCircle: string; inbox: string; sandbox: string; pipe: string }
  keyOf(service: string): unknown
  publicKeys: unknown
}

/** Serves fake auth, care-circle, inbox, pipe and sandbox services over real gRPC with real identities. */
export async function serveWorld(world: World): Promise<FakeServices> {
  const keys = Object.fromEntries(
    ['auth', 'care-circle', 'inbox', 'sandbox', 'pipe', 'site'].map((name) => [name, keyPair(name)]),
  )
  const publicKeys = { keys: Object.values(keys).map((key) => key.public) }
  const identityOf = (name: string) => createIdentity(keys[name]?.private, publicKeys)
  const serve = async <D extends Definition>(name: string, definition: D, handlers: Partial<Handlers<D>>) =>
    serveGrpc({
      definition,
      handlers: watched(definition, handlers, world),
      identity: await identityOf(name),
      logger: { info() {}, warn() {}, error() {} },
      host: '127.0.0.1',
      port: 0,
      isReady: async () => true,
    })
  const servers: GrpcServer[] = [
    await serve('auth', AuthServiceService, authHandlers(world, await identityOf('auth'))),
    await serve('care-circle', CareCircleServiceService, careCircleHandlers(world)),
    await serve('inbox', InboxServiceService, inboxHandlers(world)),
    await serve('sandbox', SandboxServiceService, sandboxHandlers(world)),
    await serve('pipe', PipeServiceService, pipeHandlers(world)),
  ]
  const [auth = '', careCircle = '', inbox = '', sandbox = '', pipe = ''] = servers.map(
    ({ port }) => `127.0.0.1:${port}`,
  )
  return {
    addresses: { auth, careCircle, inbox, sandbox, pipe },
    keyOf: (service) => keys[service]?.private,
    publicKeys,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

function authHandlers(world: World, identity: Identity): Partial<Handlers<typeof AuthServiceService>> {
  const principal = () => {
    const { id: personId, email } = world.person
    return identity.principalToken({ personId, workspaceId: world.workspaceId, credentialId: 'ses_1', email }, 'site')
  }
  return {
    ...settingsHandlers(world),
    ...changeHandlers(world),
    async getSetUp() {
      return { open: world.setUp !== undefined, codeValid: world.setUp === 'valid' }
    },
    async finishSetUp({ email, code }) {
      if (!email.includes('@')) throw invalidArgument('email', 'email must be an email address.')
      if (code !== SET_UP_CODE) throw invalidArgument('code', 'That code isn’t right. You have 4 tries left.')
      const session = `secret-${world.calls.length}`
      world.sessions.add(session)
      return { session, expiresAt: new Date(Date.now() + 30 * 86_400_000) }
    },
    async startSignIn({ email }, call) {
      requireService(call, 'site')
      if (!email.includes('@')) throw invalidArgument('email', 'email must be an email address.')
      return { challenge: `challenge-${world.calls.length}` }
    },
    async finishSignIn({ code }, call) {
      requireService(call, 'site')
      if (code.replace(/\s/g, '') !== CODE)
        throw invalidArgument('code', 'That code isn’t right. You have 4 tries left.')
      const session = `secret-${world.calls.length}`
      world.sessions.add(session)
      return { session, expiresAt: new Date(Date.now() + 30 * 86_400_000) }
    },
    async resolveSession({ session }, call) {
      requireService(call, 'site')
      if (!world.sessions.has(session)) throw new StatusError('UNAUTHENTICATED', 'No such session.')
      const { id: personId, email, name } = world.person
      const { workspaceId } = world
      return { principal: await principal(), sessionId: session, personId, email, name, workspaceId }
    },
    async enterWorkspace({ session: sessionId }, call) {
      requireService(call, 'site')
      // What a method that a server does not know becomes.
      if (world.isOlder) throw new StatusError('UNAVAILABLE', 'Unknown method.', { unknownMethod: true })
      if (!world.sessions.has(sessionId)) throw new StatusError('UNAUTHENTICATED', 'No such session.')
      const { id: personId, email } = world.person
      return {
        principal: await principal(),
        sessionId,
        personId,
        email,
        workspace: enteredWorkspace(world),
        passkeyOnlyIds: [],
      }
    },
    async beginPasskey({ browser, session }, call) {
      requireService(call, 'site')
      return { ceremony: `${browser}${session}`, options: JSON.stringify({ challenge: 'AAAA', rpId: 'localhost' }) }
    },
    async mailConfirmationCode({ session }, call) {
      requireService(call, 'site')
      if (!world.sessions.has(session)) throw new StatusError('UNAUTHENTICATED', 'No such session.')
      return { challenge: 'to confirm' }
    },
    async confirmSession({ code }, call) {
      requireService(call, 'site')
      if (code.replace(/\s/g, '') !== CODE)
        throw invalidArgument('code', 'That code isn’t right. You have 4 tries left.')
      return {}
    },
    async admitForm(_request, call) {
      requireService(call, 'site')
      return {}
    },
    async selectWorkspace({ workspaceId, none }) {
      if (!none && !world.workspaces.some(({ id }) => id === workspaceId))
        throw new StatusError('PERMISSION_DENIED', 'You are not a member of this family.')
      world.workspaceId = workspaceId
      return { principal: await principal() }
    },
    async revokeSessions({ sessionId }, call) {
      requirePrincipal(call)
      world.sessions.delete(sessionId)
      return {}
    },
    async getConsent({ interactionId }) {
      if (world.consent?.uid !== interactionId) throw new StatusError('NOT_FOUND', 'There is no such request.')
      return world.consent
    },
  }
}

function careCircleHandlers(world: World): Partial<Handlers<typeof CareCircleServiceService>> {
  return {
    ...circleHandlers(world),
    ...assistantHandlers(world),
    ...timelineHandlers(world),
    ...appointmentHandlers(world),
    ...toDoHandlers(world),
    ...emergencySheetHandlers(world),
    async listWorkspaces(_request, call) {
      requirePrincipal(call)
      return { workspaces: world.workspaces }
    },
    async addLovedOne({ name }, call) {
      requirePrincipal(call)
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      const lovedOne = { id: `lo_${world.lovedOnes.length + 1}`, name }
      world.lovedOnes.push(lovedOne)
      return { lovedOne }
    },
    async createWorkspace({ name, ownerName }, call) {
      requirePrincipal(call)
      if (ownerName.trim() === '') throw invalidArgument('ownerName', 'ownerName is required.')
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      const id = `ws_${world.workspaces.length + 1}`
      world.workspaces.push({ id, name, role: Role.OWNER })
      return { workspaceId: id }
    },
    async getInvitedAddress({ token }) {
      if (world.invitation?.token !== token) throw new StatusError('NOT_FOUND', 'There is no such invitation.')
      return { email: world.invitation.email }
    },
    async getInvitation({ token }, call) {
      if (world.invitation?.token !== token) throw new StatusError('NOT_FOUND', 'There is no such invitation.')
      const expiresAt = new Date('2030-05-12T10:00:00Z')
      const isProved = call.caller.kind === 'principal' && call.caller.email === world.invitation.email
      if (isProved) return { ...world.invitation, expiresAt }
      const { role } = world.invitation
      return { workspaceName: '', invitedByName: '', email: 'a•••@e•••.org', role, expiresAt }
    },
    async acceptInvitation({ token, name }, call) {
      requirePrincipal(call)
      const { invitation, person } = world
      if (invitation?.token !== token || invitation.email !== person.email)
        throw new StatusError('NOT_FOUND', 'This invitation has expired, was used, or was made for another address.')
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      world.workspaces.push({ id: 'ws_invited', name: invitation.workspaceName, role: invitation.role })
      world.invitation = undefined
      return { workspaceId: 'ws_invited', role: invitation.role }
    },
  }
}

function sandboxHandlers(world: World): Partial<Handlers<typeof SandboxServiceService>> {
  const requireSandbox = (id: string) => {
    if (!world.sandboxes.some(({ workspaceId }) => workspaceId === id))
      throw new StatusError('NOT_FOUND', 'There is no inbox here that you can take over.')
    world.sandboxes = world.sandboxes.filter(({ workspaceId }) => workspaceId !== id)
  }
  return {
    async listClaimableSandboxes({ workspaceId: wanted }, call) {
      requirePrincipal(call)
      const sandboxes = world.sandboxes.filter(({ workspaceId }) => wanted === '' || workspaceId === wanted)
      return { sandboxes, nextPageToken: '' }
    },
    async claimSandbox({ workspaceId, name, familyName }, call) {
      requirePrincipal(call)
      if (name.trim() === '') throw invalidArgument('name', 'name is required.')
      requireSandbox(workspaceId)
      world.workspaces.push({ id: workspaceId, name: familyName, role: Role.OWNER })
      return { workspaceId }
    },
    async discardSandbox({ workspaceId }, call) {
      requirePrincipal(call)
      requireSandbox(workspaceId)
      return {}
    },
  }
}

function inboxHandlers(world: World): Partial<Handlers<typeof InboxServiceService>> {
  return {
    ...notificationHandlers(world),
    async listInboxAddresses(_request, call) {
      requirePrincipal(call)
      const addresses = world.lovedOnes.flatMap(({ id, address }) => (address ? [{ lovedOneId: id, address }] : []))
      return { addresses }
    },
    ...inboxPageHandlers(world),
    ...approvalHandlers(world),
    async retireInboxAddress({ lovedOneId }, call) {
      requirePrincipal(call)
      const lovedOne = world.lovedOnes.find(({ id }) => id === lovedOneId)
      if (lovedOne) lovedOne.address = undefined
      return {}
    },
    async allocateInboxAddress({ lovedOneId }, call) {
      requirePrincipal(call)
      const lovedOne = world.lovedOnes.find(({ id }) => id === lovedOneId)
      if (!lovedOne) throw new StatusError('NOT_FOUND', 'There is no such loved one in your family.')
      lovedOne.address ??= `${lovedOneId.replaceAll('_', '-')}@family-inbox.test`
      return { address: lovedOne.address }
    },
  }
}

/** Records every call and lets a test make a method fail. */
function watched<D extends Definition>(definition: D, handlers: Partial<Handlers<D>>, world: World): Handlers<D> {
  const methods = Object.entries(definition).map(([method, { responseStream }]) => {
    const handler = handlers[method] as Handler<Record<string, unknown>, unknown> | undefined
    const watch: Handler<Record<string, unknown>, unknown> = async (request, call) => {
      world.calls.push({ method, request })
      const failure = world.failures.get(method)
      if (failure) throw failure
      await world.stalls.get(method)
      if (!handler) throw new StatusError('UNAVAILABLE', `${method} is not part of this test.`)
      return handler(request, call)
    }
    return [method, responseStream ? streamed(watch) : watch]
  })
  return Object.fromEntries(methods) as Handlers<D>
}

/** Streams the list that a handler returns. */
function streamed(handler: Handler<Record<string, unknown>, unknown>) {
  return async function* (request: Record<string, unknown>, call: Call) {
    yield* (await handler(request, call)) as Iterable<unknown>
  }
}

function keyPair(service: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const name = { kid: `${service}-1`, service, alg: 'EdDSA' }
  return {
    private: { ...privateKey.export({ format: 'jwk' }), ...name },
    public: { ...publicKey.export({ format: 'jwk' }), ...name },
  }
}
