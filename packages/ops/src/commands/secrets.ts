import type { Command } from 'commander'
import { readDuration } from '../duration.ts'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator } from './as-operator.ts'

/** What partners sign with. */
export function addSecretsCommand(program: Command, io: Io): void {
  const secrets = program.command('secrets').description('The secrets partners sign their events with.')

  secrets
    .command('rotate <institution_id>')
    .description('Make a new secret and print it: it is shown this once. The one before stays good for the overlap.')
    .option('--overlap <duration>', 'how long, such as 7d, 12h or 30m; without it, what is configured')
    .option(...JSON_OPTION)
    .action((institutionId, { overlap, json }) =>
      asOperator(io, json, ({ pipe }) => {
        const overlapSec = overlap === undefined ? 0 : readDuration(overlap)
        return pipe.rotateSecret({ institutionId, overlapSec })
      }),
    )

  secrets
    .command('list <institution_id>')
    .description('List when each secret was made and when it ends, newest first.')
    .option(...JSON_OPTION)
    .action((institutionId, { json }) => asOperator(io, json, ({ pipe }) => pipe.listSecrets({ institutionId })))

  secrets
    .command('revoke <institution_id> <secret_id>')
    .description('End a secret at once. Without the newest, the one before it is the partner’s secret again.')
    .option(...JSON_OPTION)
    .action((institutionId, secretId, { json }) =>
      asOperator(io, json, async ({ pipe }) => {
        await pipe.revokeSecret({ institutionId, secretId })
        return pipe.listSecrets({ institutionId })
      }),
    )
}
