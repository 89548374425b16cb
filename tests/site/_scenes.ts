import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Page } from 'playwright-core'
import { CODE, type World } from './_world.ts'
import { appointmentScenes } from './scenes/_appointments.ts'
import { approvalScenes } from './scenes/_approvals.ts'
import { careCircleScenes } from './scenes/_care-circle.ts'
import { emergencySheetScenes } from './scenes/_emergency-sheet.ts'
import { inboxScenes } from './scenes/_inbox.ts'
import { junkScenes } from './scenes/_junk.ts'
import { mailboxScenes } from './scenes/_mailboxes.ts'
import { nextScenes } from './scenes/_next.ts'
import { outgoingScenes } from './scenes/_outgoing.ts'
import { fails, type Scene, submit } from './scenes/_scene.ts'
import { setUpScenes } from './scenes/_set-up.ts'
import { settingsScenes } from './scenes/_settings.ts'
import { timelineScenes } from './scenes/_timeline.ts'
import { toDoScenes } from './scenes/_to-dos.ts'
import { welcomeScenes } from './scenes/_welcome.ts'

const askForCode = async (page: Page) => {
  await page.getByLabel('Your email address').fill('ana@example.org')
  await submit(page, 'Send code')
}

const typeCode = async (page: Page, code: string) => {
  await askForCode(page)
  const field = page.getByLabel('Sign-in code')
  // The page submits a complete code on its own.
  if (code === CODE) {
    await field.waitFor()
    await Promise.all([page.waitForEvent('framenavigated'), field.fill(code)])
    await page.waitForLoadState('domcontentloaded')
  } else {
    await field.fill(code)
    await submit(page, 'Sign in')
  }
}

const invitation = (email: string) => (world: World) => {
  world.invitation = {
    token: 'tok_1',
    email,
    workspaceName: 'The Martin family',
    invitedByName: 'Luis Martin',
    role: Role.COORDINATOR,
  }
}

const consent =
  (scopes: string[], clientName = 'Claude', redirectHost = 'claude.ai') =>
  (world: World) => {
    world.consent = {
      uid: 'uid_1',
      clientName,
      clientUri: redirectHost === 'claude.ai' ? 'https://claude.ai/about' : '',
      redirectHost,
      scopes,
    }
  }

const opened =
  (...ids: string[]) =>
  (world: World) => {
    world.sandboxes = ids.map((workspaceId) => ({
      workspaceId,
      familyName: 'Silva family (sandbox)',
      workspaceName: 'Silva family',
      lovedOneName: 'Rosa Silva',
      inboxAddress: 'k7m2q9x4v0c3n8p1@family-inbox.test',
      careContext: 'Lives alone since March.\n<b>Likes</b> visits in the morning.',
      inviteDrafts: ['luis@example.org', 'marta@example.org'],
      messageCount: 2,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 6 * 86_400_000),
    }))
  }

const ALL_SCOPES = ['profile:read', 'care_circle:read', 'care_circle:write']

/** Every page in every state: the application, then the public site. */
export const scenes: Scene[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-in-error', path: '/sign-in', act: (page) => submit(page, 'Send code') },
  {
    name: 'sign-in-limited',
    path: '/sign-in',
    arrange: (world) =>
      fails(
        world,
        'startSignIn',
        new StatusError('RESOURCE_EXHAUSTED', 'Too many codes were asked for.', { retryAfterSec: 600 }),
      ),
    act: askForCode,
  },
  { name: 'code', path: '/sign-in', act: askForCode },
  { name: 'code-wrong', path: '/sign-in', act: (page) => typeCode(page, '000000') },
  {
    name: 'code-resent',
    path: '/sign-in',
    act: async (page) => {
      await askForCode(page)
      await submit(page, 'Send a new code')
    },
  },
  {
    name: 'code-expired',
    path: '/sign-in',
    arrange: (world) =>
      fails(
        world,
        'finishSignIn',
        new StatusError('FAILED_PRECONDITION', 'This code has expired or was already used. Ask for a new one.'),
      ),
    act: (page) => typeCode(page, CODE),
  },
  {
    name: 'code-too-many-tries',
    path: '/sign-in',
    arrange: (world) =>
      fails(
        world,
        'finishSignIn',
        new StatusError('FAILED_PRECONDITION', 'That code wasn’t right either. Ask for a new one.'),
      ),
    act: (page) => typeCode(page, CODE),
  },
  { name: 'confirm', signedIn: true, path: '/confirm' },
  {
    name: 'confirm-code',
    signedIn: true,
    path: '/confirm',
    act: (page) => submit(page, 'Send code'),
  },
  { name: 'signed-out', path: '/signed-out' },
  ...setUpScenes,
  ...inboxScenes,
  ...outgoingScenes,
  ...junkScenes,
  ...mailboxScenes,
  ...nextScenes,
  ...careCircleScenes,
  ...emergencySheetScenes,
  ...timelineScenes,
  ...toDoScenes,
  ...appointmentScenes,
  ...settingsScenes,
  ...approvalScenes,
  {
    name: 'workspaces',
    signedIn: true,
    path: '/families',
    arrange: (world) => void world.workspaces.push({ id: 'ws_2', name: 'The Okafor family', role: Role.VIEWER }),
  },
  {
    name: 'welcome',
    signedIn: true,
    path: '/',
    arrange: (world) => {
      world.workspaces = []
      world.workspaceId = ''
    },
  },
  ...welcomeScenes,
  { name: 'invitation-stranger', path: '/invitation/tok_1', arrange: invitation('ana@example.org') },
  { name: 'invitation', signedIn: true, path: '/invitation/tok_1', arrange: invitation('ana@example.org') },
  {
    name: 'invitation-error',
    signedIn: true,
    path: '/invitation/tok_1',
    arrange: invitation('ana@example.org'),
    act: async (page) => {
      await page.getByLabel('Your name').fill('')
      await submit(page, 'Accept invitation')
    },
  },
  {
    name: 'invitation-wrong-email',
    signedIn: true,
    path: '/invitation/tok_1',
    arrange: invitation('anabel@example.com'),
  },
  { name: 'invitation-over', path: '/invitation/gone' },
  { name: 'consent', signedIn: true, path: '/consent/uid_1', arrange: consent(ALL_SCOPES) },
  {
    name: 'consent-families',
    signedIn: true,
    path: '/consent/uid_1',
    arrange: (world) => {
      consent(ALL_SCOPES)(world)
      world.workspaces.push({ id: 'ws_2', name: 'The Okafor family', role: Role.VIEWER })
    },
  },
  {
    name: 'consent-viewer',
    signedIn: true,
    path: '/consent/uid_1',
    arrange: (world) => {
      consent(ALL_SCOPES)(world)
      world.workspaces = [{ id: 'ws_martin', name: 'The Martin family', role: Role.VIEWER }]
    },
  },
  { name: 'consent-read-only', signedIn: true, path: '/consent/uid_1', arrange: consent(ALL_SCOPES.slice(0, 2)) },
  {
    name: 'consent-this-device',
    signedIn: true,
    path: '/consent/uid_1',
    arrange: consent(ALL_SCOPES, 'Cursor', 'cursor:'),
  },
  {
    name: 'consent-nothing-ticked',
    signedIn: true,
    path: '/consent/uid_1?error=scope',
    arrange: consent(['care_circle:write']),
  },
  {
    name: 'sign-in-again',
    signedIn: true,
    path: '/consent/uid_1',
    arrange: (world) => fails(world, 'getConsent', new StatusError('UNAUTHENTICATED', 'Sign in first.')),
  },
  { name: 'consent-over', signedIn: true, path: '/consent/gone' },
  { name: 'onboarding-nothing', signedIn: true, path: '/onboarding' },
  { name: 'onboarding', signedIn: true, path: '/onboarding', arrange: opened('ws_silva') },
  { name: 'onboarding-several', signedIn: true, path: '/onboarding', arrange: opened('ws_silva', 'ws_other') },
  {
    name: 'onboarding-error',
    signedIn: true,
    path: '/onboarding',
    arrange: opened('ws_silva'),
    act: async (page) => {
      await page.getByLabel('Your name').fill(' ')
      await submit(page, 'Take it over')
    },
  },
  { name: 'onboarding-discard', signedIn: true, path: '/onboarding/ws_silva/discard', arrange: opened('ws_silva') },
  { name: 'onboarding-discard-all', signedIn: true, path: '/onboarding/all/discard' },
  {
    name: 'onboarding-discarded',
    signedIn: true,
    path: '/onboarding/ws_silva/discard',
    arrange: opened('ws_silva'),
    act: (page) => submit(page, 'Delete inbox'),
  },
  { name: 'onboarding-over', signedIn: true, path: '/onboarding/ws_gone' },
  { name: 'not-found', path: '/nowhere' },
  {
    name: 'forbidden',
    signedIn: true,
    path: '/care-circle/loved-ones/new',
    arrange: (world) => {
      fails(world, 'addLovedOne', new StatusError('PERMISSION_DENIED', 'Viewers can read, but not change anything.'))
    },
    act: async (page) => {
      await page.getByLabel('Who are you caring for?').fill('Mum')
      await submit(page, 'Add person')
    },
  },
  {
    name: 'service-away',
    signedIn: true,
    path: '/',
    arrange: (world) => fails(world, 'enterWorkspace', new StatusError('UNAVAILABLE', 'x')),
  },
  {
    name: 'broken',
    signedIn: true,
    path: '/',
    arrange: (world) => fails(world, 'enterWorkspace', new StatusError('INTERNAL', 'x')),
  },
  ...[
    '/',
    '/getting-started',
    '/about',
    '/for-providers',
    '/developers',
    '/our-brands',
    '/blog',
    '/support',
    '/privacy',
    '/terms',
  ].map((path) => ({
    name: `public-${path.slice(1) || 'first-page'}`,
    isPublic: true,
    path,
  })),
  { name: 'public-not-found', isPublic: true, path: '/nowhere' },
]
