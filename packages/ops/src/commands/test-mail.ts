import { setTimeout as sleep } from 'node:timers/promises'
import { DeliveryState } from '@family-inbox/proto/inbox/v1/inbox'
import type { Command } from 'commander'
import { judgeDelivery, type SentTest } from '../doctor/judge-delivery.ts'
import { printFindings } from '../doctor/print-findings.ts'
import { type Io, JSON_OPTION } from '../io.ts'
import { connect, type Services } from '../services.ts'
import { findTarget } from '../target.ts'
import { readDuration } from './secrets.ts'

const POLL_MS = 500

export function addTestMailCommand(program: Command, io: Io): void {
  program
    .command('test-mail')
    .description(
      'Send a mail from this installation to itself, and say what a receiver saw: SPF, DKIM and DMARC. Ends with 1 if there is a problem.',
    )
    .option('--wait <duration>', 'how long it may take to arrive, such as 30s or 5m', '2m')
    .option(...JSON_OPTION)
    .action(async ({ wait, json }) => {
      const waitMs = readDuration(wait) * 1000
      using services = await connect(findTarget(io.env))
      const sent = await services.inbox.startDeliveryTest({})
      printFindings(io, judgeDelivery(sent, await waitForArrival(services, sent, waitMs), waitMs), json)
    })
}

/** The state in which it ended, or the last one within the time. */
async function waitForArrival({ inbox }: Services, { id }: SentTest, waitMs: number) {
  const giveUpAt = Date.now() + waitMs
  for (;;) {
    const state = await inbox.getDeliveryTest({ id })
    const isDone = state.arrivedAt !== undefined || state.delivery === DeliveryState.FAILED
    if (isDone || Date.now() > giveUpAt) return state
    await sleep(POLL_MS)
  }
}
