import { Access } from '@family-inbox/proto/auth/v1/auth'
import { Role, type Workspace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { needsRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { readAccess } from '../shell/access-field.ts'
import { messagePage } from '../shell/page.ts'
import { signInAgain, withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply } from '../shell/visit.ts'
import { consentPage } from './consent-page.ts'

/**
 * Asks a person whether an app may connect. Auth gets the answer, and sends the person back here with it when it needs a recent
 * sign-in. A person without a family creates one first.
 */
export function showConsent(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const uid = visit.param('uid')
    try {
      const [consent, { workspaces }] = await Promise.all([
        ctx.auth.getConsent(
          { interactionId: uid, cookie: visit.cookieHeader, ...(visit.query('more') !== '' && { more: true }) },
          asSite(visit),
        ),
        ctx.careCircle.listWorkspaces({}, asPerson(session, visit)),
      ])
      if (workspaces.length === 0) return { redirectTo: withReturnTo('/welcome', `/consent/${uid}`) }
      const { clientName, clientUri, redirectHost, scopes } = consent
      const chosen = (name: string) => visit.query(name) || visit.restoredField(name)
      const page = consentPage({
        viewer: toViewer(session),
        uid,
        client: { name: clientName || redirectHost, uri: clientUri, redirectHost },
        scopes,
        workspaces: toWorkspaces(workspaces, chosen('workspace') || session.workspaceId),
        access: readAccess(chosen('access')) ?? consent.access ?? Access.APPROVAL,
        errors: visit.query('error') === 'scope' ? { scope: 'Select at least one thing the app may do.' } : {},
      })
      return { page }
    } catch (error) {
      return consentEnded(error, uid, session)
    }
  }
}

/** Answers for an authorization that has expired, belongs to another browser, or needs a new sign-in. */
function consentEnded(error: unknown, uid: string, session: Session): Reply {
  if (needsRecentSignIn(error)) throw error
  const status: Status | undefined = error instanceof StatusError ? error.status : undefined
  if (status === 'UNAUTHENTICATED') return { redirectTo: signInAgain(`/consent/${uid}`) }
  if (status !== 'NOT_FOUND') throw error
  const page = messagePage({
    title: 'This request has expired',
    lines: [
      'Finish connecting an app soon after you start, in the same browser.',
      'Nothing was shared. Go back to the app and connect it again.',
    ],
    next: { label: 'Go to the home page', href: '/' },
    viewer: toViewer(session),
    allowsExternalRedirects: true,
  })
  return { page, status: 404 }
}

function toWorkspaces(workspaces: Workspace[], currentId: string) {
  const chosen = workspaces.find(({ id }) => id === currentId) ?? workspaces[0]
  return workspaces.map(({ id, name, role }) => ({
    id,
    name,
    canWrite: role !== Role.VIEWER,
    chosen: id === chosen?.id,
  }))
}
