import { setTimeout as sleep } from 'node:timers/promises'
import { hostsOf } from '@family-inbox/local-stack/mongo-uri'
import { replicaName } from '@family-inbox/local-stack/replicas'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { services } from '@family-inbox/local-stack/services'
import { MongoClient } from 'mongodb'
import type { Random } from '../_random.ts'
import { damageStore, flipBits, truncate } from '../promises/_damage.ts'
import type { Gates } from './_gates.ts'

export type StoreFault = {
  name: string
  /** Makes the fault, and resolves when it is over: there is a primary again, or everything is reachable. */
  make(): Promise<void>
}

export type StoreFaults = AsyncDisposable & { all: StoreFault[] }

const ELECTED_WITHIN_MS = 60_000

/**
 * What happens to the stores and services of a cluster.
 * @param awayMs how long something stays away
 */
export function storeFaultsOf(stack: Stack, gates: Gates, random: Random, awayMs: number): StoreFaults {
  const hosts = hostsOf(stack.mongoUri)
  const mongodPorts = hosts.map((host) => Number(host.split(':')[1]))
  const members = hosts.map((host) => new MongoClient(onlyOne(stack.mongoUri, host), DIRECT))

  async function primary(): Promise<number | undefined> {
    const answers = await Promise.all(
      members.map((member) =>
        member
          .db('admin')
          .command({ hello: 1 }, { signal: AbortSignal.timeout(1000) })
          .catch(() => undefined),
      ),
    )
    const index = answers.findIndex((answer) => answer?.isWritablePrimary)
    return index === -1 ? undefined : index
  }

  async function untilPrimary(other?: number): Promise<number> {
    for (const giveUpAt = Date.now() + ELECTED_WITHIN_MS; Date.now() < giveUpAt; await sleep(50)) {
      const index = await primary()
      if (index !== undefined && index !== other) return index
    }
    throw new Error(`no primary after ${ELECTED_WITHIN_MS / 1000} s`)
  }

  const stepDown = async () => {
    const old = await untilPrimary()
    await members[old]?.db('admin').command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true })
    await untilPrimary(old)
  }
  const killPrimary = async () => {
    const old = await untilPrimary()
    stack.kill(nthOf('mongod', old))
    await untilPrimary()
  }
  const isolatePrimary = async () => {
    const old = await untilPrimary()
    gates.close(mongodPorts[old] ?? 0)
    await untilPrimary(old)
    await sleep(awayMs)
    gates.open(mongodPorts[old] ?? 0)
  }
  const loseNats = async () => {
    const two = random.shuffled([0, 1, 2]).slice(0, 2)
    await Promise.all(two.map((nth) => stack.pause(nthOf('nats-server', nth))))
    await sleep(awayMs)
    for (const nth of two) stack.kill(nthOf('nats-server', nth))
  }
  /** Its messages and the log of what the servers agreed on. */
  const damageNats = async (isRunning: boolean) => {
    const name = nthOf('nats-server', random.between(0, 3))
    const [damage = flipBits] = random.shuffled([flipBits, truncate])
    if (!isRunning) await stack.pause(name)
    damageStore(stack, name, damage, random, /\.blk$/)
    if (isRunning) await sleep(awayMs)
    stack.kill(name)
    await sleep(awayMs)
  }
  const stopPrimary = async () => {
    const old = await untilPrimary()
    await stack.pause(nthOf('mongod', old))
    await untilPrimary(old)
    await sleep(awayMs)
    // It still believes that it is the primary.
    stack.resume(nthOf('mongod', old))
  }
  const stopNats = async () => {
    const name = nthOf('nats-server', random.between(0, 3))
    await stack.pause(name)
    await sleep(awayMs)
    stack.resume(name)
  }
  const replicas = services.flatMap(({ name }) => [0, 1].map((nth) => nthOf(name, nth)))
  return {
    all: [
      { name: 'step down the primary', make: stepDown },
      { name: 'kill the primary', make: killPrimary },
      { name: 'isolate the primary', make: isolatePrimary },
      { name: 'stop the primary for a while', make: stopPrimary },
      { name: 'kill two of three NATS servers', make: loseNats },
      { name: 'stop a NATS server for a while', make: stopNats },
      { name: 'damage the files of a running NATS server', make: () => damageNats(true) },
      { name: 'damage the files of a NATS server that is down', make: () => damageNats(false) },
      ...replicas.map((name) => ({ name: `restart ${name}`, make: () => stack.restart(name) })),
    ],
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.close()))
    },
  }
}

const DIRECT = { directConnection: true, serverSelectionTimeoutMS: 1000, connectTimeoutMS: 1000 }

function nthOf(name: string, nth: number): ProcessName {
  return replicaName(name, nth) as ProcessName
}

/** The same login at one of the servers. */
function onlyOne(uri: string, host: string): string {
  return uri.replace(hostsOf(uri).join(), host)
}
