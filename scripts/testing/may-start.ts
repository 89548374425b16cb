/** Files with two of each service need every processor. They run last, one after another. */
export const ALONE = ['tests/cluster/rolling-restart.test.ts', 'tests/cluster/stores-fail.test.ts']

/** Files that fail on a busy machine: they check that an answer takes two seconds, or that no call fails. Longest first. */
export const CALM = [
  'tests/cluster/key-rotation.test.ts',
  'tests/promises/stores-away.test.ts',
  'tests/hostile/downloads.test.ts',
  'tests/sandbox/creation.test.ts',
  'tests/sandbox/claim.test.ts',
  'tests/promises/failing-disk.test.ts',
  'tests/promises/overload.test.ts',
  'tests/promises/any-bytes.test.ts',
  'tests/event-pipe/nothing-lost.test.ts',
  'tests/inbox/smtp-delivery.test.ts',
  'tests/inbox/smtp-limits.test.ts',
  'tests/auth/registration.test.ts',
  'tests/auth/tokens.test.ts',
  'tests/sandbox/admission.test.ts',
  'tests/hostile/mail-flood.test.ts',
  'tests/hostile/pipe-flood.test.ts',
  'tests/hostile/oauth.test.ts',
  'tests/hostile/slow-clients.test.ts',
  'tests/hostile/doubling.test.ts',
  'tests/hostile/sign-in.test.ts',
  'tests/site/errors.test.ts',
  'tests/care-circle/invitation-durability.test.ts',
]

/** So many files run at the same time in any case. Tests wait for timers and processes about half of the time. */
const ALWAYS = 2
/** With idle processors, so many. */
const MOST = 6
const MOST_IF_CALM = 3
const MIN_IDLE = 0.3
const MIN_IDLE_IF_CALM = 0.6

export function needsCalm(file: string): boolean {
  return CALM.includes(file)
}

/**
 * Whether a test file may start now.
 * @param running the files that run already
 * @param idleShare of the processors, 0 to 1
 */
export function mayStart(file: string, running: readonly string[], idleShare: number): boolean {
  if (running.length === 0) return true
  if ([file, ...running].some((one) => ALONE.includes(one))) return false
  if (running.length < ALWAYS) return true
  const isCalm = [file, ...running].some(needsCalm)
  return isCalm
    ? running.length < MOST_IF_CALM && idleShare >= MIN_IDLE_IF_CALM
    : running.length < MOST && idleShare >= MIN_IDLE
}
