import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

/** Derives a single-purpose key that all replicas share. Node.js needs ten times as long to sign with its bytes. */
export function deriveKey(use: string, serviceKey: unknown): KeyObject {
  return createSecretKey(createHmac('sha256', JSON.stringify(serviceKey)).update(use).digest())
}
