import { createECDH } from 'node:crypto'
import type { Context } from '../context.ts'

export type PushKeys = { publicKey: string; privateKey: string }

/**
 * The key pair that signs for this installation (RFC 8292), base64url. It follows from the service's key: after a rotation, push services
 * refuse the old subscriptions, and members turn pushes on again.
 */
export function pushKeysOf({ config }: Pick<Context, 'config'>): PushKeys {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(config.pushKey.export())
  return { publicKey: pair.getPublicKey('base64url'), privateKey: pair.getPrivateKey('base64url') }
}
