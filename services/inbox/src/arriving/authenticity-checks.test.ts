import { createWake } from '@family-inbox/service-kit/lifecycle/sweep'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import test from 'ava'
import { createAuthenticityChecks } from './authenticity-checks.ts'

type Checking = Parameters<typeof createAuthenticityChecks>[0]

/** Messages that are gone when their turn comes, while mail keeps arriving. */
function checkingThat(look: (id: string) => void, isAsked: () => void): Checking {
  const none = { sort: () => none, limit: () => none, lean: async () => [] }
  const findOne = async ({ _id }: { _id: string }) => {
    look(_id)
    return null
  }
  return {
    messages: { find: () => none, collection: { findOne } },
    storing: {
      get held() {
        isAsked()
        return 1
      },
    },
    wake: { checks: createWake() },
    logger: createLogger('test', 'error'),
  } as unknown as Checking
}

test('while mail keeps arriving, a check waits for it once, and not once for each check ahead of it', async (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const checked: string[] = []
  const allChecked = Promise.withResolvers<void>()
  let asked = 0
  const look = (id: string) => {
    checked.push(id)
    if (checked.length === ids.length) allChecked.resolve()
  }
  const ctx = checkingThat(look, () => {
    asked += 1
  })
  await using checks = createAuthenticityChecks(ctx)
  for (const _id of ids) checks.check({ _id, workspaceId: 'ws_1' })
  await allChecked.promise
  t.deepEqual(checked, ids)
  // The first asks some forty times in two seconds, each of the others once.
  t.true(asked < 60, `asked ${asked} times`)
})
