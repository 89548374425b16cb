import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../../context.ts'
import { toFieldErrors } from '../../form-errors.ts'
import type { Household, HouseholdHandler } from '../../household.ts'
import type { Reply } from '../../http/reply.ts'
import type { Visit } from '../../http/visit.ts'
import { newToolKeyPage, toolKeyMadeBefore } from '../../pages/settings/new-tool-key.ts'
import type { FieldErrors } from '../../parts/field.ts'
import { asPerson } from '../../session.ts'
import { toolKeysReply } from '../../settings/tool-keys-reply.ts'

/** Makes a key and shows it in this answer, which nothing keeps. The same form sent twice makes one key, shown until it is used. */
export function mintToolKey(ctx: Context): HouseholdHandler {
  return async (visit, household) => {
    const name = visit.field('name').slice(0, 1000)
    try {
      return await mint(ctx, visit, household, name)
    } catch (error) {
      return toolKeysReply(ctx, visit, household, { values: { name }, errors: explain(error) })
    }
  }
}

async function mint(ctx: Context, visit: Visit, household: Household, name: string): Promise<Reply> {
  const request = { name, scopes: [], idempotencyKey: visit.field('request').slice(0, 100) }
  const { key, secret } = await ctx.auth.mintToolKey(request, asPerson(household.session, visit))
  const made = { household, name: key?.name ?? name, id: key?.id ?? '' }
  const serverUrl = `${ctx.config.urls.api}/mcp/v1`
  return { page: secret === '' ? toolKeyMadeBefore(made) : newToolKeyPage({ ...made, secret, serverUrl }) }
}

function explain(error: unknown): FieldErrors {
  if (error instanceof StatusError && error.status === 'FAILED_PRECONDITION') return { name: error.message }
  return toFieldErrors(error, WORDS)
}

const WORDS = { name: 'Say what the key is for, in up to 80 characters' }
