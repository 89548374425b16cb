import { isRefusal } from '../arriving/refusals.ts'
import type { FetchedMailbox, Problem } from '../models/mailbox.ts'

/** Why fetching failed, where the reason is known here. */
export class MailboxProblem extends Error {
  override name = 'MailboxProblem'
  readonly problem: Problem
  constructor(problem: Problem, cause?: unknown) {
    super(`fetching failed: ${problem}`, { cause })
    this.problem = problem
  }
}

/** Codes of Node.js and imapflow. */
const UNREACHABLE =
  /^(E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|TIMEDOUT|TIMEOUT|PIPE)|(CONNECT|GREETING)_TIMEOUT|NoConnection|EConnectionClosed)$/
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|HOSTNAME_MISMATCH|^ERR_TLS_|^ERR_SSL_|^EPROTO$/
/** Response codes of a refused login that another try may pass (RFC 9051 7.1). */
const NOT_THE_PASSWORD = /^(UNAVAILABLE|INUSE|LIMIT|OVERQUOTA|CONTACTADMIN|SERVERBUG)$/
const MAX_CAUSES = 4

/** The reason for a failure, in words that the family's page has. */
export function problemOf(error: unknown): Problem {
  if (error instanceof MailboxProblem) return error.problem
  if (isRefusal(error)) return ofRefusal(error.message)
  const errors = causesOf(error)
  const refused = errors.find(({ authenticationFailed }) => authenticationFailed)
  if (refused !== undefined) return NOT_THE_PASSWORD.test(refused.serverResponseCode ?? '') ? 'server' : 'password'
  const codes = errors.map(({ code }) => `${code ?? ''}`)
  if (codes.some((code) => CERTIFICATE.test(code))) return 'certificate'
  if (errors.some(({ tlsFailed }) => tlsFailed)) return 'certificate'
  return codes.some((code) => UNREACHABLE.test(code)) ? 'unreachable' : 'server'
}

/** By the enhanced status code (arriving/refusals.ts). */
function ofRefusal(text: string): Problem {
  if (text.startsWith('4.2.2')) return 'storageFull'
  if (text.startsWith('4.7.28')) return 'tooMuchMail'
  return text.startsWith('5.1.1') ? 'inboxGone' : 'server'
}

type Failure = {
  code?: unknown
  authenticationFailed?: boolean
  serverResponseCode?: string
  tlsFailed?: boolean
  cause?: unknown
  _err?: unknown
}

function causesOf(error: unknown): Failure[] {
  const found: Failure[] = []
  for (let one = error; found.length < MAX_CAUSES && typeof one === 'object' && one !== null; ) {
    const failure = one as Failure
    found.push(failure)
    one = failure.cause ?? failure._err
  }
  return found
}

const MINUTE_MS = 60_000
const FIRST_WAIT_MS = 5000
const LONGEST_WAIT_MS = 30 * MINUTE_MS
/** What only time or the family solves is not tried each few seconds. */
const SHORTEST_WAIT: Partial<Record<Problem, number>> = {
  password: 5 * MINUTE_MS,
  consent: 5 * MINUTE_MS,
  folder: MINUTE_MS,
  moveFolder: MINUTE_MS,
  privateHost: 10 * MINUTE_MS,
  storageFull: 10 * MINUTE_MS,
  tooMuchMail: 5 * MINUTE_MS,
}
/** Providers lock an account after a few wrong passwords. The others last a day, with the longest wait. */
const MAX_FAILURES: Partial<Record<Problem, number>> = { password: 3, consent: 3, inboxGone: 1 }
const MAX_OTHER_FAILURES = 60
/** These are ours, or end without anybody: fetching is never given up. */
const NEVER_GIVEN_UP: readonly Problem[] = ['storageFull', 'tooMuchMail']

export type AfterFailure = Pick<FetchedMailbox, 'failures' | 'problem'> & ({ dueAt: Date } | { paused: 'givenUp' })

/** What follows a failure: a longer wait each time, and a pause after many. */
export function afterFailure(failuresBefore: number, problem: Problem, now: Date): AfterFailure {
  const failures = failuresBefore + 1
  if (failures >= (MAX_FAILURES[problem] ?? MAX_OTHER_FAILURES) && !NEVER_GIVEN_UP.includes(problem))
    return { failures, problem, paused: 'givenUp' }
  const grown = FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20)
  const waitMs = Math.min(Math.max(grown, SHORTEST_WAIT[problem] ?? 0), LONGEST_WAIT_MS)
  return { failures, problem, dueAt: new Date(now.getTime() + waitMs) }
}
