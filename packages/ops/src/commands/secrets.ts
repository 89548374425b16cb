import { DAY_SEC } from '@family-inbox/service-kit/time/days'
import type { Command } from 'commander'
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

const SECONDS = { s: 1, m: 60, h: 60 * 60, d: DAY_SEC }

/** Parses `7d`, `12h`, `30m` or `90s` to seconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  if (match === null || Number(match[1]) === 0)
    throw new Error('A duration must be a number with a unit, such as 7d, 12h or 30m.')
  return Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS]
}
