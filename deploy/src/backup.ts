// `npm run backup`: dumps the services' databases as of one moment, and restores into empty ones.
import { Command } from 'commander'
import { type Dumped, dump } from './backup/dump.ts'
import { findReplicaSet } from './backup/find-replica-set.ts'
import { restore } from './backup/restore.ts'

const URI = [
  '--mongodb-uri <uri>',
  'the replica set; default: MONGODB_URI, or its file MONGODB_URI_FILE, else that of the running `npm start`. Other users of this machine can read options, but not settings',
] as const

const program = new Command('npm run -s backup --').description(
  'Back up the services’ databases in mongodump’s format.',
)

program
  .command('make <folder>')
  .description('Write a snapshot of this moment. Services keep running.')
  .option(...URI)
  .action(async (folder, { mongodbUri }) => print(await dump(await findReplicaSet(mongodbUri), folder)))

program
  .command('restore <folder>')
  .description('Fill empty databases. Run it before any service starts.')
  .option(...URI)
  .action(async (folder, { mongodbUri }) => print(await restore(await findReplicaSet(mongodbUri), folder)))

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
