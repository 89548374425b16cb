import { generateKeyPairSync } from 'node:crypto'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { markBursts } from '../../services/auth/src/assistants/find-bursts.ts'
import { sendAlarms } from '../../services/auth/src/assistants/send-alarms.ts'
import { environmentToConfig } from '../../services/auth/src/config.ts'
import { type Context, createContext } from '../../services/auth/src/context.ts'
import type { Guest } from '../_family.ts'

/** Another process that sends alarms from the same database. */
export async function startSecondSender(f: Guest): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  starting.use(sendAlarms(starting.use(await openContext(f))))
  return starting.move()
}

/** Another process looks for bursts once: whatever was recorded before is decided then. */
export async function lookForBursts(f: Guest): Promise<void> {
  await using ctx = await openContext(f)
  await markBursts(ctx)
}

async function openContext({ stack }: Guest): Promise<Context> {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const { privateKey } = generateKeyPairSync('ed25519')
  return createContext(
    environmentToConfig({
      LOG_LEVEL: 'error',
      SWEEP_PAUSE_SECONDS: '1',
      MONGODB_URI: stack.databaseUri('auth'),
      NATS_URL: stack.natsUrl,
      INBOX_URL: stack.inboxUrl,
      SERVICE_KEY: JSON.stringify(privateKeys.auth),
      SERVICE_KEYS: JSON.stringify(publicKeys),
      OIDC_JWKS: JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }),
      OIDC_COOKIE_KEYS: JSON.stringify(['k'.repeat(32)]),
      CARE_CIRCLE_ADDRESS: stack.addresses['care-circle'],
    }),
  )
}
