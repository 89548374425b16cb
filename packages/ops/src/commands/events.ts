import { setTimeout as sleep } from 'node:timers/promises'
import { CareEventState } from '@family-inbox/proto/carecircle/v1/care_circle'
import { PATHS } from '@family-inbox/workspace-kit/endpoints'
import type { Command } from 'commander'
import { sampleEvent } from '../events/sample-event.ts'
import { sendEvent } from '../events/send-event.ts'
import { type Io, JSON_OPTION, print } from '../io.ts'
import { connect } from '../services.ts'
import { findTarget, type Target } from '../target.ts'
import { asOperator, readAllPages } from './as-operator.ts'

export function addEventsCommand(program: Command, io: Io): void {
  const events = program.command('events').description('Send a test event; list and replay events that failed.')

  events
    .command('send <institution_id> <subject_ref>')
    .description('Sign and send an event, then print the response and whether it reached the timeline.')
    .option('--type <event_type>', 'the event type', 'note_added')
    .option('--payload <json>', 'its payload (default: an example for the type)')
    .option('--occurred-at <time>', 'when it happened, in ISO 8601 (default: now)')
    .option('--event-id <id>', 'your own event id; a repeated id counts once')
    .option(
      '--url <url>',
      `where to send it, such as https://api.family-inbox.example${PATHS.pipe} (default: the running services)`,
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nSet the environment variable PIPE_SECRET to the partner’s secret.')
    .action(async (institutionId, subjectRef, options) => {
      const target = options.url === undefined ? findTarget(io.env) : undefined
      const url = options.url ?? `${target?.apiUrl}${PATHS.pipe}`
      const event = sampleEvent({ institutionId, subjectRef, ...options })
      const answer = await sendEvent(url, institutionId, requireSecret(io), JSON.stringify(event))
      const timeline =
        answer.status === 202 && target ? await locateEvent(target, String(answer.body.event_id)) : undefined
      print(io, { url, event, ...answer, ...(timeline && { timeline }) }, options.json)
      if (answer.status !== 202) throw new Error('The event was not accepted.')
    })

  events
    .command('list')
    .description('List events that failed for good, oldest first.')
    .option(...JSON_OPTION)
    .action(({ json }) =>
      asOperator(io, json, async ({ careCircle }) => ({
        events: await readAllPages(async (pageToken) => {
          const { events: rows, nextPageToken } = await careCircle.listDeadLetters({ pageSize: 200, pageToken })
          return { rows, nextPageToken }
        }),
      })),
    )

  events
    .command('replay [event_id...]')
    .description('Retry these failed events, or all of them.')
    .option(...JSON_OPTION)
    .action((eventIds: string[], { json }) =>
      asOperator(io, json, ({ careCircle }) => careCircle.replayDeadLetters({ eventIds })),
    )
}

function requireSecret({ env }: Io): string {
  const secret = env.PIPE_SECRET
  if (secret) return secret
  throw new Error('Set PIPE_SECRET to the partner’s secret, printed by `partners add` or `secrets rotate`.')
}

const TIMEOUT_MS = 10_000
const PAUSE_MS = 100

/** Waits up to ten seconds for an accepted event to arrive. */
async function locateEvent(target: Target, eventId: string): Promise<string> {
  using services = await connect(target)
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const { states } = await services.careCircle.getCareEventStates({ eventIds: [eventId] })
    if (states[0] === CareEventState.ON_TIMELINE) return 'reached'
    if (states[0] === CareEventState.DEAD_LETTER) return 'dead: see events list'
  }
  return 'not reached within 10 s'
}
