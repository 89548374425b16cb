import { type Command, Option } from 'commander'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator, readAllPages } from './as-operator.ts'

const AGREEMENT = [
  '--agreement <date>',
  'when the business associate agreement was signed, such as 2026-05-12',
] as const
const REVIEW = ['--review <date>', 'when the partner passed the security review'] as const

export function addPartnersCommand(program: Command, io: Io): void {
  const partners = program.command('partners').description('Care agencies that push events.')

  partners
    .command('add <institution_id>')
    .description('Add an inactive partner and print its secret. It won’t be shown again.')
    .requiredOption('--name <name>', 'the agency’s name, as families see it')
    .option(...AGREEMENT)
    .option(...REVIEW)
    .option('--namespace <prefix...>', 'prefixes of other institution ids it may use, such as sunrise.')
    .addOption(signedTimestamp())
    .option(...JSON_OPTION)
    .action((institutionId, { name, agreement = '', review = '', namespace = [], signedTimestamp: signed, json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const signedTimestampRequired = isRequired(signed) ?? false
        const dates = { agreementDate: agreement, reviewDate: review }
        const request = { institutionId, name, ...dates, namespaces: namespace, signedTimestampRequired }
        const { partner, secret, secretId } = await pipe.addPartner(request)
        return { ...partner, secretId, secret }
      }),
    )

  partners
    .command('list')
    .description('List all partners, newest first.')
    .option(...JSON_OPTION)
    .action(({ json }) =>
      asOperator(io, json, async ({ pipe }) => ({
        partners: await readAllPages(async (pageToken) => {
          const { partners: rows, nextPageToken } = await pipe.listPartners({ pageSize: 200, pageToken })
          return { rows, nextPageToken }
        }),
      })),
    )

  partners
    .command('activate <institution_id>')
    .description('Accept its events from now on. Requires both dates, set now or earlier.')
    .option(...AGREEMENT)
    .option(...REVIEW)
    .addOption(signedTimestamp())
    .option(...JSON_OPTION)
    .action((institutionId, { agreement = '', review = '', signedTimestamp: signed, json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const terms = { agreementDate: agreement, reviewDate: review, signedTimestampRequired: isRequired(signed) }
        return (await pipe.setPartnerActive({ institutionId, active: true, ...terms })).partner ?? {}
      }),
    )

  partners
    .command('deactivate <institution_id>')
    .description('Reject its events from now on and hide those it sent.')
    .option(...JSON_OPTION)
    .action((institutionId, { json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const request = { institutionId, active: false, agreementDate: '', reviewDate: '' }
        return (await pipe.setPartnerActive(request)).partner ?? {}
      }),
    )
}

function signedTimestamp(): Option {
  return new Option(
    '--signed-timestamp <rule>',
    'whether each request also needs a signature that covers its time (webhook-signature)',
  ).choices(['required', 'optional'])
}

function isRequired(rule: 'required' | 'optional' | undefined): boolean | undefined {
  return rule === undefined ? undefined : rule === 'required'
}
