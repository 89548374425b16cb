import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSentFromOurPages } from '@family-inbox/service-kit/http/own-pages'
import { findSessionCookie } from '@family-inbox/service-kit/http/session-cookie'
import { needsRecentSignIn, requireRecent } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type Provider from 'oidc-provider'
import { errors, type Interaction, type InteractionResults } from 'oidc-provider'
import { enforceRateLimit, FORMS_OF_PERSON } from '../admission/rate-limit.ts'
import type { Context } from '../context.ts'
import { requestedScopes } from '../scopes.ts'
import { type ActiveSession, principalOf, requireSession, verifiedAtOf } from '../sign-in/active-session.ts'
import { accessAfter, CHOICES, WRITE_SCOPE } from './access-after.ts'
import { answerError, TOO_LARGE } from './errors.ts'
import { requireFreshSignIn, toEpochSec } from './find-interaction.ts'
import { findHeldGrant, grantAccess } from './grant-access.ts'
import { answerTooMany } from './limit-requests.ts'
import { readText } from './rewrite-request.ts'

const DENIED = { error: 'access_denied', error_description: 'the person declined' }

/** Answers the form of the consent page. The site shows that page, at the same address. */
export async function decideConsent(
  ctx: Context,
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const id = (req.url ?? '').split(/[/?]/)[2] ?? ''
  if (!isSentFromOurPages(req.headers, new URL(ctx.config.urls.inbox).origin))
    return answerError(req, res, 403, refusal('this form was sent from another site'))
  try {
    const session = await requireSession(ctx, findSessionCookie(req.headers.cookie, ctx.config.urls.inbox) ?? '')
    await enforceRateLimit(ctx, FORMS_OF_PERSON, session.personId)
    const interaction = await provider.interactionDetails(req, res)
    if (interaction.uid !== id) throw new errors.SessionNotFound('of another browser')
    requireFreshSignIn(interaction, session)
    const form = await readText(req)
    if (form === undefined) return answerError(req, res, 413, TOO_LARGE, { connection: 'close' })
    const answers = new URLSearchParams(form)
    const result = await decide(ctx, provider, interaction, session, answers).catch((error) => {
      if (needsRecentSignIn(error)) return { confirmFirst: true } as const
      throw error
    })
    if (result === undefined) redirect(res, `/consent/${id}?error=scope`)
    else if ('confirmFirst' in result) redirect(res, `/consent/${id}?${choiceIn(answers)}`)
    else await provider.interactionFinished(req, res, result)
  } catch (error) {
    answerFailure(req, res, id, error)
  }
}

/** For the page, which asks the person to confirm that it is them, and then shows what they chose. */
function choiceIn(form: URLSearchParams): URLSearchParams {
  return new URLSearchParams({ access: form.get('access') ?? '', workspace: form.get('workspace') ?? '', more: '1' })
}

/** @returns undefined when the person allows it, but nothing in particular @throws StatusError UNAUTHENTICATED to confirm first */
async function decide(
  ctx: Context,
  provider: Provider,
  interaction: Interaction,
  session: ActiveSession,
  form: URLSearchParams,
): Promise<InteractionResults | undefined> {
  // A form sent without a button must not grant access.
  if (form.get('decision') !== 'allow') return DENIED
  const requested = requestedScopes(interaction.params.scope)
  const access = CHOICES.find((choice) => choice === (form.get('access') ?? 'write'))
  if (access === undefined) return undefined
  const granted = requested
    .filter((scope) => form.getAll('scope').includes(scope))
    .filter((scope) => access !== 'read' || scope !== WRITE_SCOPE)
  if (granted.length === 0) return undefined
  const { personId } = session
  const inWorkspace = { ...session, workspaceId: form.get('workspace') ?? '' }
  const token = await principalOf(ctx, inWorkspace, ctx.identity.service)
  const { workspaceId, since: memberSince } = await ctx.requireMember({ token })
  const holder = { personId, workspaceId, clientId: String(interaction.params.client_id), memberSince }
  const held = await findHeldGrant(ctx, interaction.grantId, holder)
  const { isMore, ...after } = accessAfter(held, { requested, granted, access })
  if (isMore) requireRecent(verifiedAtOf(session))
  const grantId = await grantAccess(ctx, provider, interaction, { ...holder, held, ...after })
  await dropOtherSession(interaction, session)
  return { login: loginOf(session), consent: { grantId } }
}

function loginOf({ personId, createdAt }: ActiveSession) {
  return { accountId: personId, ts: toEpochSec(createdAt), amr: ['otp'] }
}

/** Somebody else may have signed in since the authorization began. */
async function dropOtherSession(interaction: Interaction, { personId }: ActiveSession): Promise<void> {
  if (interaction.session === undefined || interaction.session.accountId === personId) return
  interaction.session = undefined
  await interaction.persist()
}

/** The site asks for a sign-in, and shows that a request has expired. */
function answerFailure(req: IncomingMessage, res: ServerResponse, id: string, error: unknown): void {
  if (error instanceof errors.SessionNotFound) redirect(res, '/consent/expired')
  else if (!(error instanceof StatusError)) throw error
  else if (error.status === 'UNAUTHENTICATED') redirect(res, `/consent/${id}`)
  else if (error.status === 'RESOURCE_EXHAUSTED') answerTooMany(req, res, 'from you', error)
  else if (error.status === 'PERMISSION_DENIED') answerError(req, res, 403, refusal('you are not in this family'))
  else throw error
}

function refusal(error_description: string) {
  return { error: 'access_denied', error_description }
}

function redirect(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, 'cache-control': 'no-store' }).end()
}
