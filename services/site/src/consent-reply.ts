import { Role, type Workspace } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Status, StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from './context.ts'
import type { Reply } from './http/reply.ts'
import { signInAgain, withReturnTo } from './http/return-to.ts'
import type { Visit } from './http/visit.ts'
import { consentPage } from './pages/consent.ts'
import { messagePage } from './pages/message.ts'
import type { FieldErrors } from './parts/field.ts'
import { asPerson, asSite, type Session, toViewer } from './session.ts'

/** Draws what an application asks for; also after the form was refused. A person without a household makes one first. */
export async function consentReply(
  ctx: Context,
  visit: Visit,
  session: Session,
  errors: FieldErrors = {},
): Promise<Reply> {
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
      households: toHouseholds(workspaces, session.workspaceId),
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
export function consentEnded(error: unknown, uid: string, session: Session): Reply {
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
    leadsElsewhere: true,
  })
  return { page, status: 404 }
}

function toHouseholds(workspaces: Workspace[], currentId: string) {
  const chosen = workspaces.find(({ id }) => id === currentId) ?? workspaces[0]
  return workspaces.map(({ id, name, role }) => ({
    id,
    name,
    canWrite: role !== Role.VIEWER,
    chosen: id === chosen?.id,
  }))
}
