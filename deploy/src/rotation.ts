/**
 * The three steps in which a key is replaced while everything runs. Between two steps every replica is restarted, so at any
 * moment some replicas are one step further than others, and what either signs the other must accept:
 * - introduce: the new key is known, and the old one still signs;
 * - use: the new key signs, and what the old one signed is still accepted;
 * - retire: the old key is forgotten.
 */
export const STEPS = ['introduce', 'use', 'retire'] as const

export type Step = (typeof STEPS)[number]

/**
 * One step with a list of keys of which the first one signs and all are accepted.
 * @throws when the step is not the one that is next
 */
export function rotateList<T>(keys: readonly T[], step: Step, make: () => T): T[] {
  const [signing, ...others] = keys
  if (signing === undefined) throw new Error('there is no key to replace')
  if (step === 'introduce') return [...keys, make()]
  const [other] = others.slice(-1)
  if (other === undefined) throw new Error('there is one key only: introduce a new one first')
  return step === 'use' ? [other, ...keys.slice(0, -1)] : [signing]
}

/** A service's key pair in the middle of being replaced. */
export type IdentityRotation<Key> = {
  /** The private key the service signs with. */
  current: Key
  /** The private key it is to sign with, from `introduce` to `use`. */
  next?: Key
  /** The public keys of all services. */
  everyone: readonly Key[]
}

/**
 * One step with the key pair by which a service speaks for itself.
 * @throws when the step is not the one that is next
 */
export function rotateIdentity<Key extends { kid: string; service: string }>(
  { current, next, everyone }: IdentityRotation<Key>,
  step: Step,
  make: () => Key,
  publicHalf: (key: Key) => Key,
): IdentityRotation<Key> {
  if (step === 'introduce') {
    if (next) throw new Error('a new key is introduced already: use it first')
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
