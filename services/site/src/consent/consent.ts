import { Role, type Workspace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Status, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { FieldErrors } from '../shell/field.ts'
import { messagePage } from '../shell/message-page.ts'
import { signInAgain, withReturnTo } from '../shell/return-to.ts'
import { asPerson, asSite, type Session, type SignedInHandler, toViewer } from '../shell/session.ts'
import type { Reply, Visit } from '../shell/visit.ts'
import { consentPage } from './consent-page.ts'

/** Shows what an application asks for. */
export function showConsent(ctx: Context): SignedInHandler {
  return (visit, session) => consentReply(ctx, visit, session)
}

/** Passes the person's decision on. Auth holds the scopes against those asked for, and the household against membership. */
export function decideConsent(ctx: Context): SignedInHandler {
  return async (visit, session) => {
    const interactionId = visit.param('uid')
    const decision = {
      interactionId,
      cookie: visit.cookieHeader,
      session: visit.cookies.session,
      // Only the word itself allows: a form that came without a button, or with another, does not.
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

/** Draws what an application asks for; also after the form was refused. A person without a household makes one first. */
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

/**
 * What is shown of an authorization that cannot go on here: it has ended or was begun in another browser, or the
 * application wants to see a fresh sign-in.
 * @throws the error itself when it is about anything else
 */
function consentEnded(error: unknown, uid: string, session: Session): Reply {
  const status: Status | undefined = error instanceof StatusError ? error.status : undefined
  if (status === 'UNAUTHENTICATED') return { redirectTo: signInAgain(`/consent/${uid}`) }
  if (status !== 'NOT_FOUND') throw error
  const page = messagePage({
    title: 'This request has ended',
    lines: [
      'Connecting an application must be finished soon after it was begun, and in the same browser.',
      'Nothing was shared. Go back to the application and connect it again.',
    ],
    next: { label: 'Go to the first page', href: '/' },
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
