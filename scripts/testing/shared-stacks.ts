import { checkShardKeys } from '../../deploy/src/sharding/check-shard-keys.ts'
import { findMongod } from '../../packages/local-stack/src/binaries/find-mongod.ts'
import { findNatsServer } from '../../packages/local-stack/src/binaries/find-nats-server.ts'
import { SHARED_MONGOD, startStack } from '../../packages/local-stack/src/stack.ts'
import { SHARED_STACKS } from '../../tests/_shared-stack.ts'
import { findPrometheus } from '../../tests/alarms/_prometheus.ts'
import { buildKubernetesIfAsked } from '../../tests/cluster/_kubernetes.ts'
import { findClusterTools } from '../../tests/cluster/_tools.ts'
import { fetchPackages, LACKING_PACKAGES } from '../../tests/mcp-clients/_packages.ts'
import { findActionlint } from '../../tests/operations/_actionlint.ts'
import { findS3Server } from '../../tests/operations/_s3-storage.ts'
import { findChromium, SHARED_BROWSER, serveBrowser } from '../../tests/site/_browser.ts'
import { say } from './run.ts'
import { serveStacks } from './serve-stacks.ts'
import type { Tier } from './tiers.ts'

/** Gets what tests download or build, then starts what they share: a mongod and a browser now, and each stack when a file asks for it. */
export async function openSharedStacks(tier: Tier): Promise<AsyncDisposable & { env: NodeJS.ProcessEnv }> {
  await using starting = new AsyncDisposableStack()
  // Here, where progress is visible, and not in several test files together.
  const search = { env: process.env, say }
  const onlyLong = tier === 'long' ? [findS3Server(search)] : []
  const tools = [findClusterTools(search), findActionlint(search), ...onlyLong].map((tool) => tool.catch(sayError))
  await Promise.all([findMongod(search), findNatsServer(search), ...tools])
  if (tier === 'long') await findPrometheus(say)
  const lacking = await fetchPackages(tier, say)
  await buildKubernetesIfAsked(search).catch(sayError)
  const stores = await startStack({ services: [], ownMongod: true }).catch(sayError)
  if (stores) process.env[SHARED_MONGOD] = starting.use(stores).mongoUri
  const shardKeys = stores && (await checkShardKeys(stores, say))
  const served = starting.use(await serveStacks())
  const browser = findChromium() === undefined ? undefined : await serveBrowser()
  starting.defer(() => browser?.close())
  const started = starting.move()
  return {
    env: {
      [SHARED_STACKS]: served.path,
      [SHARED_BROWSER]: browser?.wsEndpoint(),
      [LACKING_PACKAGES]: JSON.stringify(lacking),
    },
    async [Symbol.asyncDispose]() {
      // While the stacks still have their rows.
      await shardKeys?.[Symbol.asyncDispose]()
      await started.disposeAsync()
      delete process.env[SHARED_MONGOD]
    },
  }
}

/** Tests that need it will fail with the same message. */
function sayError(error: Error): undefined {
  say(error.message)
}
