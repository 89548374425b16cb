import crypto, { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import test from 'ava'
import { isSigned, isWebhookSigned } from './signature.ts'

type Verify = (body: Uint8Array, given: string, keys: readonly KeyObject[]) => boolean

const [secret, next] = ['pipe_secret', 'pipe_next'].map((text) => createSecretKey(text, 'utf8')) as [
  KeyObject,
  KeyObject,
]
const body = Buffer.alloc(256 * 1024, 'a')
const good = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const goodWebhook = `v1,${createHmac('sha256', secret).update('id.1.').update(body).digest('base64')}`

const OURS: Record<string, { verify: Verify; good: string }> = {
  'the body’s signature': { verify: (bytes, given, keys) => isSigned(bytes, [given], keys), good },
  'the signed time': {
    verify: (bytes, given, keys) =>
      isWebhookSigned(bytes, { ids: ['id'], timestamps: ['1'], signatures: [given] }, keys),
    good: goodWebhook,
  },
}

/** Each leaks how much of a guess is right, or whether an institution exists. */
const LEAKY: Record<string, Verify> = {
  'compares with ===': (bytes, given, keys) =>
    [0, 1].map((slot) => `sha256=${hex(keys[slot] ?? secret, bytes)}` === given && slot < keys.length).includes(true),
  'skips the HMAC of a secret that is missing': (bytes, given, keys) =>
    keys.map((key) => isEqual(`sha256=${hex(key, bytes)}`, given)).includes(true),
  'stops at the first match': (bytes, given, keys) =>
    [0, 1].some((slot) => isEqual(`sha256=${hex(keys[slot] ?? secret, bytes)}`, given) && slot < keys.length),
}

for (const [what, { verify, good: signature }] of Object.entries(OURS)) {
  test.serial(`${what} costs the same work for every institution and every guess`, (t) => {
    t.deepEqual(differencesInWork(verify, signature), [])
  })

  test.serial(`${what} takes as much CPU time for an unknown institution as for a known one`, (t) => {
    const ratio = cpuRatio(verify, signature)
    t.true(ratio > 0.75 && ratio < 1.33, `${ratio}`)
  })
}

for (const [fault, verify] of Object.entries(LEAKY))
  test.serial(`these measurements detect a check that ${fault}`, (t) => {
    t.not(differencesInWork(verify, good).length, 0)
  })

test.serial('CPU time reveals a skipped HMAC', (t) => {
  const skips = LEAKY['skips the HMAC of a secret that is missing'] as Verify
  const ratio = cpuRatio(skips, good)
  t.true(ratio < 0.75, `${ratio}`)
})

/**
 * Counts hashes and comparisons, which machine load does not affect, and fakes the comparison to prove that it decides.
 * @returns the cases that differ
 */
function differencesInWork(verify: Verify, signature: string): string[] {
  const wrongFirst = signature.replace(/[,=]./, (text) => `${text[0]}${text[1] === '0' ? '1' : '0'}`)
  const wrongLast = signature.replace(/.(=?)$/, (_, pad) => `_${pad}`)
  const cases: [string, readonly KeyObject[], string][] = [
    ['good, one secret', [secret], signature],
    ['good, two secrets', [secret, next], signature],
    ['good, by the second secret', [next, secret], signature],
    ['wrong in the first character', [secret], wrongFirst],
    ['wrong in the last character', [secret], wrongLast],
    ['unknown institution', [], signature],
    ['of another length', [secret], `${signature}0`],
    ['empty', [], ''],
  ]
  const work = cases.map(([name, keys, given]) => [name, watched(() => verify(body, given, keys)).work] as const)
  const usual = work[0]?.[1]
  const differs = work
    .filter(([, done]) => done !== usual)
    .map(([name, done]) => `${name}: ${done} instead of ${usual}`)
  const refuses = watched(() => verify(body, signature, [secret]), false).result
  const accepts = watched(() => verify(body, wrongFirst, [secret]), true).result
  return [...differs, ...(refuses || !accepts ? ['something other than timingSafeEqual decides'] : [])]
}

/** @param lie the result that timingSafeEqual is made to return */
function watched(check: () => boolean, lie?: boolean): { result: boolean; work: string } {
  const { createHmac: hmac, timingSafeEqual: compare } = crypto
  const done: string[] = []
  crypto.createHmac = (...args) => {
    done.push('hash')
    return hmac(...args)
  }
  crypto.timingSafeEqual = (a, b) => {
    done.push(`compare ${a.byteLength}`)
    return lie ?? compare(a, b)
  }
  syncBuiltinESMExports()
  try {
    return { result: check(), work: done.toSorted().join(', ') }
  } finally {
    Object.assign(crypto, { createHmac: hmac, timingSafeEqual: compare })
    syncBuiltinESMExports()
  }
}

const SAMPLES = 12
/** Enough work for a sample to be long beside the steps of 10 ms in which some kernels count CPU time. */
const ROUNDS = 150

/**
 * CPU time for an unknown institution relative to a known one: medians of alternating samples. The thread's own time ignores
 * other load, and the body is large so that the HMAC dominates.
 */
function cpuRatio(verify: Verify, signature: string): number {
  const wrong = signature.replace(/.$/, '_')
  const samples = Array.from({ length: SAMPLES }, () =>
    [[], [secret]].map((keys) => cpuUs(() => verify(body, wrong, keys))),
  )
  const [unknown, known] = [0, 1].map((side) => median(samples.map((pair) => pair[side] as number))) as [number, number]
  return unknown / known
}

function cpuUs(work: () => void): number {
  const before = process.threadCpuUsage()
  for (let round = 0; round < ROUNDS; round += 1) work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number
}

function hex(key: KeyObject, bytes: Uint8Array): string {
  return createHmac('sha256', key).update(bytes).digest('hex')
}

function isEqual(expected: string, given: string): boolean {
  const bytes = Buffer.from(given)
  return crypto.timingSafeEqual(
    Buffer.from(expected),
    bytes.length === expected.length ? bytes : Buffer.alloc(expected.length),
  )
}
