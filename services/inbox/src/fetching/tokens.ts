import * as oauth from 'oauth4webapi'
import type { OauthClient } from '../oauth-providers.ts'
import { MailboxProblem } from './mailbox-problem.ts'

const ANSWERED_WITHIN_MS = 15_000

export type Tokens = {
  accessToken: string
  /** Lasts until the account's owner takes it back. Absent: the one before stays good. */
  refreshToken?: string | undefined
}

/** Where the account's owner allows us to read it (RFC 6749 section 4.1.1, RFC 7636). */
export async function authorizationUrl(
  { authorizationEndpoint, clientId, scope, parameters }: OauthClient,
  {
    state,
    verifier,
    redirectUri,
    userName,
  }: { state: string; verifier: string; redirectUri: string; userName: string },
): Promise<string> {
  const url = new URL(authorizationEndpoint)
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    login_hint: userName,
    ...parameters,
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** Redeems the code that the provider sent the owner back with (RFC 6749 section 4.1.3). @throws MailboxProblem `consent` if it is not good */
export function redeemCode(
  client: OauthClient,
  { code, verifier, redirectUri }: { code: string; verifier: string; redirectUri: string },
): Promise<Tokens> {
  return ask(client, async (server, own, secret, options) => {
    const answer = oauth.validateAuthResponse(server, own, new URLSearchParams({ code }), oauth.expectNoState)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      own,
      secret,
      answer,
      redirectUri,
      verifier,
      options,
    )
    return oauth.processAuthorizationCodeResponse(server, own, response)
  })
}

/** A new access token (RFC 6749 section 6). @throws MailboxProblem `consent` if the owner took the access back */
export function refreshAccess(client: OauthClient, refreshToken: string): Promise<Tokens> {
  return ask(client, async (server, own, secret, options) => {
    const response = await oauth.refreshTokenGrantRequest(server, own, secret, refreshToken, options)
    return oauth.processRefreshTokenResponse(server, own, response)
  })
}

type Work = (
  server: oauth.AuthorizationServer,
  own: oauth.Client,
  secret: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions,
) => Promise<oauth.TokenEndpointResponse>

async function ask({ tokenEndpoint, clientId, clientSecret }: OauthClient, work: Work): Promise<Tokens> {
  const server = { issuer: new URL(tokenEndpoint).origin, token_endpoint: tokenEndpoint }
  const options = {
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    // Only where the operator wrote http.
    [oauth.allowInsecureRequests]: tokenEndpoint.startsWith('http:'),
  }
  try {
    const tokens = await work(server, { client_id: clientId }, oauth.ClientSecretPost(clientSecret), options)
    return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant')
      throw new MailboxProblem('consent', error)
    throw error
  }
}
