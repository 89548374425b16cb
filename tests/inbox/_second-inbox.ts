import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import { identityKeys, localSecret } from '@family-inbox/local-stack/secrets'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'
import { environmentToConfig } from '../../services/inbox/src/config.ts'
import { startInbox } from '../../services/inbox/src/service.ts'
import type { SharedStack } from '../_shared-stack.ts'

export type SecondInbox = AsyncDisposable & { smtpPort: number }

/**
 * Starts another inbox service in this process, on a stack's database and queue.
 * @param env settings beyond the addresses
 * @param resolveDns its name server
 */
export async function startSecondInbox(
  stack: SharedStack,
  { env = {}, resolveDns }: { env?: Record<string, string>; resolveDns?: ResolveDns } = {},
): Promise<SecondInbox> {
  const { privateKeys, publicKeys } = await identityKeys(stack.dataDir)
  const outbox = await mkdtemp(join(tmpdir(), 'outbox-'))
  const config = environmentToConfig({
    OUTBOX_DIR: outbox,
    ...env,
    LOG_LEVEL: 'error',
    GRPC_HOST: '127.0.0.1',
    GRPC_PORT: `${await freePort()}`,
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: `${await freePort()}`,
    MONGODB_URI: stack.databaseUri('inbox'),
    NATS_URL: stack.natsUrl,
    INBOX_URL: stack.inboxUrl,
    MAIL_DOMAIN: stack.mailDomain,
    MAILBOX_SECRET_KEYS: await localSecret(stack.dataDir, 'MAILBOX_SECRET_KEYS', 'key-list'),
    KEY_ENCRYPTION_KEYS: await localSecret(stack.dataDir, 'KEY_ENCRYPTION_KEYS', 'key-list'),
    SERVICE_KEY: JSON.stringify(privateKeys.inbox),
    SERVICE_KEYS: JSON.stringify(publicKeys),
    AUTH_ADDRESS: stack.addresses.auth,
    CARE_CIRCLE_ADDRESS: stack.addresses['care-circle'],
  })
  const inbox = await startInbox(config, { resolveDns })
  return {
    smtpPort: inbox.smtpPort,
    async [Symbol.asyncDispose]() {
      await inbox[Symbol.asyncDispose]()
      await rm(outbox, { recursive: true, force: true })
    },
  }
}
