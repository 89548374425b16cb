import { Role, type Workspace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { FieldErrors } from '../shell/fields.ts'
import { messagePage } from '../shell/page.ts'
import { signInAgain, withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { consentPage } from './consent-page.ts'

export function showConsent(ctx: Context): SignedInHandler {
  return (visit, session) => consentReply(ctx, visit, session)
}

/** Sends the person's decision to auth, which checks scopes and membership. */
export function decideConsent(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const interactionId = visit.param('uid')
    const decision = {
      interactionId,
      cookie: visit.cookieHeader,
      session: visit.cookies.session,
      // A form sent without a button must not grant access.
      allow: visit.field('decision') === 'allow',
      scopes: visit.fields('scope').slice(0, 20),
      workspaceId: visit.field('workspace'),
    }
    try {
      const { redirectUrl } = await ctx.auth.decideConsent(decision, asSite(visit))
      return { redirectTo: redirectUrl }
    } catch (error) {
      if (error instanceof StatusError && error.detail.field === 'scopes')
        return consentReply(ctx, visit, session, { scope: error.message })
      return consentEnded(error, interactionId, session)
    }
  }
}

/** Renders the request, also after a refused form. A person without a family creates one first. */
async function consentReply(ctx: Context, visit: Visit, session: Session, errors: FieldErrors = {}): Promise<Reply> {
  const uid = visit.param('uid')
  try {
    const [consent, { workspaces }] = await Promise.all([
      ctx.auth.getConsent(
        { interactionId: uid, cookie: visit.cookieHeader, session: visit.cookies.session },
        asSite(visit),
      ),
      ctx.careCircle.listWorkspaces({}, asPerson(session, visit)),
    ])
    if (workspaces.length === 0) return { redirectTo: withReturnTo('/welcome', `/consent/${uid}`) }
    const { clientName, clientUri, redirectHost, scopes } = consent
    const page = consentPage({
      viewer: toViewer(session),
      uid,
      client: { name: clientName || redirectHost, uri: clientUri, redirectHost },
      scopes,
      workspaces: toWorkspaces(workspaces, session.workspaceId),
      errors,
    })
    return { page, status: 'scope' in errors ? 422 : 200 }
  } catch (error) {
    return consentEnded(error, uid, session)
  }
}

/** Answers for an authorization that has expired, belongs to another browser, or needs a new sign-in. */
function consentEnded(error: unknown, uid: string, session: Session): Reply {
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
