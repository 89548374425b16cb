import { retryUntilDone } from '@family-inbox/ops/retry-until-done'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Answer } from './_family.ts'
import { readUntil } from './_wait.ts'

const ANSWERED_WITHIN_MS = 45_000
/** What a tool answers then, in words that say so. */
const TRY_AGAIN = -32_603

/** The result of a call: its answer or its error. */
export async function outcomeOf<T>(call: Promise<T>): Promise<T | StatusError> {
  return call.catch((error: unknown) => {
    if (error instanceof StatusError) return error
    throw error
  })
}

/** The refusal, if the call is refused. */
export async function refusalOf(call: Promise<unknown>): Promise<StatusError | undefined> {
  const outcome = await outcomeOf(call)
  return outcome instanceof StatusError ? outcome : undefined
}

/** `OK`, or the status of the refusal. */
export async function statusOf(call: Promise<unknown>): Promise<string> {
  return (await refusalOf(call))?.status ?? 'OK'
}

/** Calls again while the service is busy or away, as a client does. @throws StatusError for any other refusal */
export async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  return retryUntilDone(ANSWERED_WITHIN_MS, call)
}

/** The same for a page or a form. */
export async function untilPageAnswered<Page extends { status: number }>(ask: () => Promise<Page>): Promise<Page> {
  return readUntil(ask, ({ status }) => status !== 503)
}

/** The same for a tool. */
export async function untilToolAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  return readUntil(ask, ({ status, json }) => status < 500 && json?.error?.code !== TRY_AGAIN)
}
