// `npm run backup`: writes the services' databases as they are at one moment, and fills empty ones from it.
import { Command } from 'commander'
import { type Dumped, dump } from './backup/dump.ts'
import { restore } from './backup/restore.ts'

const URI = ['--mongodb-uri <uri>', 'the replica set, for example mongodb://localhost:27017/?replicaSet=rs0'] as const

const program = new Command('npm run -s backup --').description(
  'A backup of the services’ databases in the format of mongodump.',
)

program
  .command('make <folder>')
  .description('Write what is there at this moment, while everything runs.')
  .requiredOption(...URI)
  .action(async (folder, { mongodbUri }) => tell(await dump(mongodbUri, folder)))

program
  .command('restore <folder>')
  .description('Fill empty databases, before any service is started on them.')
  .requiredOption(...URI)
  .action(async (folder, { mongodbUri }) => tell(await restore(mongodbUri, folder)))

function tell(collections: Dumped[]) {
  for (const { database, collection, documents } of collections)
    process.stdout.write(`${database}.${collection}: ${documents}\n`)
}

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
