/**
 * Key rotation without downtime. All replicas restart after each step; during a restart both steps must accept each other:
 * - introduce: the new key is accepted, the old one signs;
 * - use: the new key signs, the old one is still accepted;
 * - retire: the old key is removed.
 */
export const STEPS = ['introduce', 'use', 'retire'] as const

export type Step = (typeof STEPS)[number]

/** Rotates a list whose first key signs and all of whose keys are accepted. @throws when another step is due */
export function rotateList<T>(keys: readonly T[], step: Step, make: () => T): T[] {
  const [signing, ...others] = keys
  if (signing === undefined) throw new Error('there is no key to rotate')
  if (step === 'introduce') return [...keys, make()]
  const [other] = others.slice(-1)
  if (other === undefined) throw new Error('there is only one key: introduce a new one first')
  return step === 'use' ? [other, ...keys.slice(0, -1)] : [signing]
}

export type IdentityRotation<Key> = {
  current: Key
  /** The next private key, between `introduce` and `use`. */
  next?: Key
  everyone: readonly Key[]
}

/** Rotates a service's own key pair. @throws when another step is due */
export function rotateIdentity<Key extends { kid: string; service: string }>(
  { current, next, everyone }: IdentityRotation<Key>,
  step: Step,
  make: () => Key,
  publicHalf: (key: Key) => Key,
): IdentityRotation<Key> {
  if (step === 'introduce') {
    if (next) throw new Error('a new key was already introduced: use it first')
    const made = make()
    return { current, next: made, everyone: [...everyone, publicHalf(made)] }
  }
  if (step === 'use') {
    if (!next) throw new Error('there is no new key: introduce one first')
    return { current: next, everyone }
  }
  if (next) throw new Error('the new key is not in use yet: use it first')
  const kept = everyone.filter(({ service, kid }) => service !== current.service || kid === current.kid)
  return { current, everyone: kept }
}
