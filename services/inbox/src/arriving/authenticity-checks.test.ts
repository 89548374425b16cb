import type { MailAuthenticator } from '@family-inbox/mail-reader/authenticity/mail-authenticator'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import test from 'ava'
import { createAuthenticityChecks } from './authenticity-checks.ts'

type Stores = Parameters<typeof createAuthenticityChecks>[0]

/** Stores whose messages are gone when their turn comes. */
function storesThat(look: (id: string) => void): Stores {
  const none = { sort: () => none, limit: () => none, lean: async () => [] }
  const findOne = async ({ _id }: { _id: string }) => {
    look(_id)
    return null
  }
  return {
    messages: { find: () => none, collection: { findOne } },
    logger: createLogger('test', 'error'),
  } as unknown as Stores
}

const AUTHENTICATOR: MailAuthenticator = {
  authenticate: () => Promise.reject(new Error('nothing to check')),
}

test('while mail keeps arriving, a check waits for it once, and not once for each check ahead of it', async (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const checked: string[] = []
  const allChecked = Promise.withResolvers<void>()
  const stores = storesThat((id) => {
    checked.push(id)
    if (checked.length === ids.length) allChecked.resolve()
  })
  let asked = 0
  const isBusy = () => {
    asked += 1
    return true
  }
  await using checks = createAuthenticityChecks(stores, AUTHENTICATOR, isBusy)
  for (const _id of ids) checks.check({ _id, workspaceId: 'ws_1' })
  await allChecked.promise
  t.deepEqual(checked, ids)
  // The first asks some forty times in two seconds, each of the others once.
  t.true(asked < 60, `asked ${asked} times`)
})
