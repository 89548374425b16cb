import { connectNats, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import { describeError, type Logger } from '@family-inbox/service-kit/observability/logger'
import type { NatsConnection } from 'nats'
import type { Sandbox } from './models/sandbox.ts'

/** Where whoever operates the service can hear of each sandbox that was started. Not kept anywhere. */
export const STARTED_SUBJECT = 'ops.sandbox.started'

export type OpsNotifications = AsyncDisposable & {
  /** The connection, once there is one. */
  connection: Promise<NatsConnection>
  /** Tells of a new sandbox, if anybody can be reached at this moment. Never throws, and never names anybody. */
  started(sandbox: Sandbox): void
}

/** Opens the way for notices behind the caller's back: nothing waits for NATS, and nothing depends on it. */
export function openOpsNotifications(access: NatsAccess, logger: Logger): OpsNotifications {
  let connection: NatsConnection | undefined
  const connecting = connectNats(access, logger).then((connected) => {
    connection = connected
    return connected
  })
  connecting.catch((error) => logger.warn(describeError(error), 'operations notices cannot be sent'))
  return {
    connection: connecting,
    started({ _id, createdAt, expiresAt, claimEmail, inviteDrafts }) {
      const notice = { workspaceId: _id, createdAt, expiresAt, claimable: claimEmail !== undefined }
      try {
        connection?.publish(STARTED_SUBJECT, JSON.stringify({ ...notice, inviteDrafts: inviteDrafts.length }))
      } catch (error) {
        logger.warn(describeError(error), 'an operations notice was not sent')
      }
    },
    async [Symbol.asyncDispose]() {
      await connection?.close()
    },
  }
}
