import { type Command, Option } from 'commander'
import { readAllPages } from '../all-pages.ts'
import { type Io, JSON_OPTION } from '../io.ts'
import { asOperator } from './as-operator.ts'

const AGREEMENT = [
  '--agreement <date>',
  'when the business associate agreement was signed, such as 2026-05-12',
] as const
const REVIEW = ['--review <date>', 'when the security review was passed'] as const

/** Care agencies that push events. */
export function addPartnersCommand(program: Command, io: Io): void {
  const partners = program.command('partners').description('Care agencies that push events.')

  partners
    .command('add <institution_id>')
    .description('Take a partner on, inactive, and print its secret: it is shown this once.')
    .requiredOption('--name <name>', 'what the agency is called; families see it')
    .option(...AGREEMENT)
    .option(...REVIEW)
    .option('--namespace <prefix...>', 'prefixes of further institution ids it may use, such as sunrise.')
    .addOption(signedTimestamp())
    .option(...JSON_OPTION)
    .action((institutionId, { name, agreement = '', review = '', namespace = [], signedTimestamp: signed, json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const signedTimestampRequired = isRequired(signed) ?? false
        const dates = { agreementDate: agreement, reviewDate: review }
        const startRequest = { institutionId, name, ...dates, namespaces: namespace, signedTimestampRequired }
        const { partner, secret, secretId } = await pipe.addPartner(startRequest)
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
    .description('Take its events from now on. Both dates must be known, from before or from here.')
    .option(...AGREEMENT)
    .option(...REVIEW)
    .addOption(signedTimestamp())
    .option(...JSON_OPTION)
    .action((institutionId, { agreement = '', review = '', signedTimestamp: signed, json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const facts = { agreementDate: agreement, reviewDate: review, signedTimestampRequired: isRequired(signed) }
        return (await pipe.setPartnerActive({ institutionId, active: true, ...facts })).partner ?? {}
      }),
    )

  partners
    .command('deactivate <institution_id>')
    .description('Refuse its events, and hide those it has sent, from now on.')
    .option(...JSON_OPTION)
    .action((institutionId, { json }) =>
      asOperator(io, json, async ({ pipe }) => {
        const startRequest = { institutionId, active: false, agreementDate: '', reviewDate: '' }
        return (await pipe.setPartnerActive(startRequest)).partner ?? {}
      }),
    )
}

function signedTimestamp(): Option {
  return new Option(
    '--signed-timestamp <rule>',
    'whether each request must have a signature over its time (webhook-signature) as well',
  ).choices(['required', 'optional'])
}

function isRequired(rule: 'required' | 'optional' | undefined): boolean | undefined {
  return rule === undefined ? undefined : rule === 'required'
}
