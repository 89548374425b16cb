import type { IncomingHttpHeaders } from 'node:http'
import { describeError } from '@family-inbox/service-kit/logger'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import { CLIENT_DOCUMENTS_FROM_NETWORK } from '../limits/limits.ts'
import { spendFromLimit } from '../limits/rate-limit.ts'
import { callerNetwork } from './caller-network.ts'

/**
 * Whether a client-id metadata document may be fetched for this caller: so that nobody aims this server at another one.
 * @param headers of the request; none when the consent page asks, to which only a counted request leads
 */
export async function allowClientDocument(ctx: Context, headers: IncomingHttpHeaders | undefined): Promise<boolean> {
  if (headers === undefined) return true
  try {
    await spendFromLimit(ctx, CLIENT_DOCUMENTS_FROM_NETWORK, callerNetwork(headers))
    return true
  } catch (error) {
    if (error instanceof StatusError) return false
    throw error
  }
}

/**
 * Fetches for oidc-provider, which asks for https only, within 2.5 s, at most 5 KB, following no redirect, and through a
 * dispatcher that hangs up on addresses that are not public. Only a test on one machine may do without the last.
 */
export async function fetchClientDocument(
  { config, logger }: Context,
  url: string | URL | Request,
  options: RequestInit | undefined,
): Promise<Response> {
  try {
    if (!config.clientDocumentsFromPrivateNetworks) return await fetch(url, options)
    const { dispatcher: _, ...unguarded } = options as RequestInit & { dispatcher?: unknown }
    return await fetch(url, unguarded)
  } catch (error) {
    logger.info(describeError(error), 'oauth: a client document could not be fetched')
    throw error
  }
}
