import { natsLogin } from '@family-inbox/service-kit/nats/nats-identity'
import { connect } from 'nats'
import type { SharedStack } from './_shared-stack.ts'
import { until } from './_wait.ts'

/** Waits until a work queue has nothing left that could still have an effect, redeliveries included. */
export async function untilHandled({ natsUrl, opsKey }: Pick<SharedStack, 'natsUrl' | 'opsKey'>, stream: string) {
  const nats = await connect({ servers: natsUrl, ...natsLogin(opsKey) })
  try {
    const { streams } = await nats.jetstreamManager()
    await until(async () => (await streams.info(stream)).state.messages === 0)
  } finally {
    await nats.close()
  }
}
