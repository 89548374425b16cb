// `npm run backup`: dumps the services' databases as of one moment, and restores into empty ones.
import { Command } from 'commander'
import { type Dumped, dump } from './backup/dump.ts'
import { restore } from './backup/restore.ts'

const URI = ['--mongodb-uri <uri>', 'the replica set, for example mongodb://localhost:27017/?replicaSet=rs0'] as const

const program = new Command('npm run -s backup --').description(
  'Back up the services’ databases in mongodump’s format.',
)

program
  .command('make <folder>')
  .description('Write a snapshot of this moment. Services keep running.')
  .requiredOption(...URI)
  .action(async (folder, { mongodbUri }) => print(await dump(mongodbUri, folder)))

program
  .command('restore <folder>')
  .description('Fill empty databases. Run it before any service starts.')
  .requiredOption(...URI)
  .action(async (folder, { mongodbUri }) => print(await restore(mongodbUri, folder)))

function print(collections: Dumped[]) {
  for (const { database, collection, documents } of collections)
    process.stdout.write(`${database}.${collection}: ${documents}\n`)
}

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
