import { findMongod } from '../../packages/local-stack/src/binaries/find-mongod.ts'
import { findNatsServer } from '../../packages/local-stack/src/binaries/find-nats-server.ts'
import { findPrometheus } from '../../tests/alarms/_prometheus.ts'
import { buildKubernetesIfAsked } from '../../tests/cluster/_kubernetes.ts'
import { findClusterTools } from '../../tests/cluster/_tools.ts'
import { fetchPackages, LACKING_PACKAGES } from '../../tests/mcp-clients/_packages.ts'
import { findActionlint } from '../../tests/operations/_actionlint.ts'
import { findS3Server } from '../../tests/operations/_s3-storage.ts'
import { say, sayError } from './run.ts'
import type { Tier } from './tiers.ts'

/**
 * Gets what the tests of a tier download or build: here, where progress is visible, and not in several test files together.
 * @returns what tests need to know of it
 */
export async function fetchPrograms(tier: Tier): Promise<NodeJS.ProcessEnv> {
  const search = { env: process.env, say }
  const ofTier = tier === 'long' ? [findS3Server(search), findPrometheus(say)] : []
  const tools = [findClusterTools(search), findActionlint(search), ...ofTier].map((tool) => tool.catch(sayError))
  await Promise.all([findMongod(search), findNatsServer(search), ...tools])
  const lacking = await fetchPackages(tier, say)
  await buildKubernetesIfAsked(search).catch(sayError)
  return { [LACKING_PACKAGES]: JSON.stringify(lacking) }
}
