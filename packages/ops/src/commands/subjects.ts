import { setTimeout as sleep } from 'node:timers/promises'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { Argument, type Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator } from './as-operator.ts'

/** Clients of care agencies, and the families they are linked to. */
export function addSubjectsCommand(program: Command, io: Io): void {
  const subjects = program.command('subjects').description('Clients of partners, and the families they are linked to.')

  subjects
    .command('link <institution_id> <subject_ref>')
    .description(
      'Link an agency’s client to the loved one a family made the code for. Sharing is off until it is switched on.',
    )
    .requiredOption('--code <provider_code>', 'the code the family gave the agency')
    .option(...JSON_OPTION)
    .action((institutionId, subjectRef, { code, json }) =>
      asOperator(io, json, ({ pipe }) => pipe.linkSubject({ institutionId, subjectRef, providerCode: code })),
    )

  subjects
    .command('share <institution_id> <subject_ref>')
    .description('Switch family-share on or off. While it is off nothing crosses to the family, and nothing is shown.')
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .option(...JSON_OPTION)
    .action((institutionId, subjectRef, state, { json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const shared = state === 'on'
        await pipe.setFamilyShare({ institutionId, subjectRef, shared })
        return { institutionId, subjectRef, shared }
      }),
    )

  subjects
    .command('purge <institution_id> <subject_ref>')
    .description('Delete all events of a client everywhere, for good, and end its link. Late events are dropped.')
    .option(...JSON_OPTION)
    .action((institutionId, subjectRef, { json }) =>
      asOperator(io, json, ({ pipe }) => untilFinished(() => pipe.purgeSubject({ institutionId, subjectRef }))),
    )
}

const PATIENCE_MS = 5 * 60_000
const PAUSE_MS = 500

/**
 * Asks again while the answer is that there is more to do than one call has time for.
 * @throws StatusError as it is answered otherwise, or after five minutes
 */
async function untilFinished<T>(ask: () => Promise<T>): Promise<T> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await ask()
    } catch (error) {
      const isUnfinished = error instanceof StatusError && UNFINISHED.includes(error.status)
      if (!isUnfinished || Date.now() > giveUpAt) throw error
    }
  }
}

const UNFINISHED: string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED']
