import { Argument, type Command } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import { retryUntilDone } from '../retry-until-done.ts'
import { asOperator } from './as-operator.ts'

const PURGE_MS = 5 * 60_000

export function addSubjectsCommand(program: Command, io: Io): void {
  const subjects = program.command('subjects').description('Clients of partners and their links to families.')

  subjects
    .command('link <institution_id> <subject_ref>')
    .description('Link an agency’s client to the loved one of a family’s code. Sharing starts switched off.')
    .requiredOption('--code <provider_code>', 'the code the family gave the agency')
    .option(...JSON_OPTION)
    .action((institutionId, subjectRef, { code, json }) =>
      asOperator(io, json, ({ pipe }) => pipe.linkSubject({ institutionId, subjectRef, providerCode: code })),
    )

  subjects
    .command('share <institution_id> <subject_ref>')
    .description('Switch sharing with the family on or off. While it is off, the family gets and sees no events.')
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
    .description('Permanently delete a client’s events everywhere and end its link. Later events are dropped.')
    .option(...JSON_OPTION)
    .action((institutionId, subjectRef, { json }) =>
      asOperator(io, json, ({ pipe }) =>
        retryUntilDone(PURGE_MS, () => pipe.purgeSubject({ institutionId, subjectRef })),
      ),
    )
}
