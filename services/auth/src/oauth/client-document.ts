import type { IncomingHttpHeaders } from 'node:http'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { CLIENT_DOCUMENTS_FROM_NETWORK } from '../limits/limits.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { fetchDocument } from './fetch-document.ts'
import { callerNetwork } from './limit-requests.ts'

/**
 * Limits metadata fetches per network, so our server cannot be used to attack others.
 * @param headers absent on the consent page, which only an already counted request leads to
 */
export async function allowClientDocument(ctx: Context, headers: IncomingHttpHeaders | undefined): Promise<boolean> {
  if (headers === undefined) return true
  try {
    await enforceRateLimit(ctx, CLIENT_DOCUMENTS_FROM_NETWORK, callerNetwork(headers))
    return true
  } catch (error) {
    if (error instanceof StatusError) return false
    throw error
  }
}

/** Fetches a client-id metadata document for oidc-provider, with the checks of {@link fetchDocument}. */
export async function fetchClientDocument({ config, logger }: Context, url: string | URL | Request): Promise<Response> {
  try {
    const address = url instanceof Request ? url.url : url
    return await fetchDocument(String(address), { allowPrivate: config.clientDocumentsFromPrivateNetworks })
  } catch (error) {
    logger.info(describeError(error), 'oauth: a client document could not be fetched')
    throw error
  }
}
