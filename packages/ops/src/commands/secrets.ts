import type { Command } from 'commander'
import { readDuration } from '../duration.ts'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator } from './as-operator.ts'

export function addSecretsCommand(program: Command, io: Io): void {
  const secrets = program.command('secrets').description('The secrets that partners sign their events with.')

  secrets
    .command('rotate <institution_id>')
    .description('Create a secret and print it. It won’t be shown again. The previous one stays valid for the overlap.')
    .option('--overlap <duration>', 'such as 7d, 12h or 30m (default: as configured)')
    .option(...JSON_OPTION)
    .action((institutionId, { overlap, json }) =>
      asOperator(io, json, ({ pipe }) => {
        const overlapSec = overlap === undefined ? 0 : readDuration(overlap)
        return pipe.rotateSecret({ institutionId, overlapSec })
      }),
    )

  secrets
    .command('list <institution_id>')
    .description('List when each secret was created and when it expires, newest first.')
    .option(...JSON_OPTION)
    .action((institutionId, { json }) => asOperator(io, json, ({ pipe }) => pipe.listSecrets({ institutionId })))

  secrets
    .command('revoke <institution_id> <secret_id>')
    .description('Revoke a secret immediately. If it is the newest, the previous one takes over.')
    .option(...JSON_OPTION)
    .action((institutionId, secretId, { json }) =>
      asOperator(io, json, async ({ pipe }) => {
        await pipe.revokeSecret({ institutionId, secretId })
        return pipe.listSecrets({ institutionId })
      }),
    )
}
