import { checkShardKeys } from '../../deploy/src/sharding/check-shard-keys.ts'
import { SHARED_MONGOD } from '../../packages/local-stack/src/borrow-databases.ts'
import { startStack } from '../../packages/local-stack/src/stack.ts'
import { SHARED_STACKS } from '../../tests/_shared-stack.ts'
import { findChromium, SHARED_BROWSER, serveBrowser } from '../../tests/site/_browser.ts'
import { say, sayError } from './run.ts'
import { serveStacks } from './serve-stacks.ts'

/** Starts what tests share: a mongod and a browser now, and each stack when a file asks for it. */
export async function openSharedStacks(): Promise<AsyncDisposable & { env: NodeJS.ProcessEnv }> {
  await using starting = new AsyncDisposableStack()
  const stores = await startStack({ services: [], ownMongod: true, mongodCacheGb: 1 }).catch(sayError)
  if (stores) process.env[SHARED_MONGOD] = starting.use(stores).mongoUri
  const shardKeys = stores && (await checkShardKeys(stores, say))
  const served = starting.use(await serveStacks())
  const browser = findChromium() === undefined ? undefined : await serveBrowser()
  starting.defer(() => browser?.close())
  const started = starting.move()
  return {
    env: { [SHARED_STACKS]: served.path, [SHARED_BROWSER]: browser?.wsEndpoint() },
    async [Symbol.asyncDispose]() {
      // While the stacks still have their rows.
      await shardKeys?.[Symbol.asyncDispose]()
      await started.disposeAsync()
      delete process.env[SHARED_MONGOD]
    },
  }
}
