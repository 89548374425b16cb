import type { NatsConnection } from '@family-inbox/service-kit/nats/client'
import { closeNats, connectNats, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { Sandbox } from './models/sandbox.ts'

const STARTED_SUBJECT = 'ops.sandbox.started'

export type OpsNotifications = AsyncDisposable & {
  connection: Promise<NatsConnection>
  /** Publishes a notification if NATS is connected. Never throws, and contains no personal data. */
  started(sandbox: Sandbox): void
}

export function openOpsNotifications(access: NatsAccess, logger: Logger): OpsNotifications {
  let connection: NatsConnection | undefined
  const connecting = connectNats(access, logger).then((connected) => {
    connection = connected
    return connected
  })
  connecting.catch((error) => logger.warn(describeError(error), 'operator notifications cannot be sent'))
  return {
    connection: connecting,
    started({ _id, createdAt, expiresAt, claimEmail, inviteDrafts }) {
      const notification = { workspaceId: _id, createdAt, expiresAt, claimable: claimEmail !== undefined }
      try {
        connection?.publish(STARTED_SUBJECT, JSON.stringify({ ...notification, inviteDrafts: inviteDrafts.length }))
      } catch (error) {
        logger.warn(describeError(error), 'operator notification not sent')
      }
    },
    [Symbol.asyncDispose]: () => closeNats(connecting),
  }
}
