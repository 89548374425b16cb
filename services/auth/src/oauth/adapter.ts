import type { Adapter } from 'oidc-provider'
import type { Context } from '../context.ts'
import { accessTokenAdapter } from './access-token-adapter.ts'
import { clientAdapter } from './client-adapter.ts'
import { grantAdapter } from './grant-adapter.ts'
import { recordAdapter } from './record-adapter.ts'

/**
 * Where oidc-provider keeps each of its models. Secrets are stored as hashes only: the id of a token, code or session is the
 * secret itself, so the store knows it by its SHA-256.
 */
export function adapterFor(ctx: Context): (model: string) => Adapter {
  return (model) => {
    if (model === 'AccessToken') return accessTokenAdapter(ctx)
    if (model === 'Grant') return grantAdapter(ctx)
    if (model === 'Client') return clientAdapter(ctx)
    return recordAdapter(ctx, model)
  }
}
