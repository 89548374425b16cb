import { setTimeout as sleep } from 'node:timers/promises'
import { CareEventPlace } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Command } from 'commander'
import { readAllPages } from '../all-pages.ts'
import { sampleEvent } from '../events/sample-event.ts'
import { sendEvent } from '../events/send-event.ts'
import { type Io, JSON_OPTION, print } from '../io.ts'
import { connect } from '../services.ts'
import { findTarget, type Target } from '../target.ts'
import { asOperator } from './as-operator.ts'

/** Events themselves: a test event, and those that could not be put on a timeline. */
export function addEventsCommand(program: Command, io: Io): void {
  const events = program.command('events').description('Events: send one to try, and look after those that are stuck.')

  events
    .command('send <institution_id> <subject_ref>')
    .description('Sign and send a real event, and say what came back and whether it reached the timeline.')
    .option('--type <event_type>', 'the type of the event', 'note_added')
    .option('--payload <json>', 'its payload; without it, an example of the type')
    .option('--occurred-at <time>', 'when it happened, in ISO 8601; without it, now')
    .option('--event-id <id>', 'your own id of the event; the same id again is the same event')
    .option(
      '--url <url>',
      'where to send it, such as https://api.family-inbox.example/pipe/v1/events; without it, to the running services',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nThe secret is read from the environment variable PIPE_SECRET.')
    .action(async (institutionId, subjectRef, options) => {
      const target = options.url === undefined ? findTarget(io.env) : undefined
      const url = options.url ?? `${target?.apiUrl}/pipe/v1/events`
      const event = sampleEvent({ institutionId, subjectRef, ...options })
      const answer = await sendEvent(url, institutionId, requireSecret(io), JSON.stringify(event))
      const place = answer.status === 202 && target ? await whereItIs(target, String(answer.body.event_id)) : undefined
      print(io, { url, event, ...answer, ...(place && { timeline: place }) }, options.json)
      if (answer.status !== 202) throw new Error('The event was not accepted.')
    })

  events
    .command('list')
    .description('List the events that could not be put on a timeline after the last try, oldest first.')
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
    .description('Try those events again, or all there are.')
    .option(...JSON_OPTION)
    .action((eventIds: string[], { json }) =>
      asOperator(io, json, ({ careCircle }) => careCircle.replayDeadLetters({ eventIds })),
    )
}

function requireSecret({ env }: Io): string {
  const secret = env.PIPE_SECRET
  if (secret) return secret
  throw new Error('Set PIPE_SECRET to the partner’s secret, as partners add or secrets rotate printed it.')
}

const PATIENCE_MS = 10_000
const PAUSE_MS = 100

/** Looks for up to ten seconds where an accepted event has got to. */
async function whereItIs(target: Target, eventId: string): Promise<string> {
  using services = await connect(target)
  for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt; await sleep(PAUSE_MS)) {
    const { places } = await services.careCircle.locateCareEvents({ eventIds: [eventId] })
    if (places[0] === CareEventPlace.TIMELINE) return 'reached'
    if (places[0] === CareEventPlace.DEAD) return 'dead: see events list'
  }
  return 'not reached within 10 s'
}
