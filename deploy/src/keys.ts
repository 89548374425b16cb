// `npm run keys`: makes the secrets of a cluster as files, and replaces its keys in steps.
import { Argument, Command } from 'commander'
import { makeKeys, replaceable, rotateKey } from './key-folder.ts'
import { STEPS } from './rotation.ts'

const program = new Command('npm run -s keys --').description('The secrets of a cluster, as files in a folder.')

program
  .command('make <folder>')
  .description('Make every secret that is not there yet: a file <folder>/<service>/<SETTING> for each.')
  .requiredOption('--mongodb-uri <uri>', 'the replica set, for example mongodb://mongod-0.mongod:27017/?replicaSet=rs0')
  .option('--smtp-url <url>', 'the server outgoing mail is handed to')
  .action((folder, stores) => makeKeys(folder, stores))

program
  .command('rotate <folder> <service> <setting>')
  .description(`Take one step of replacing a key: ${replaceable().join(', ')}.`)
  .addArgument(
    new Argument('<step>', 'the steps in their order, with a restart of the replicas after each').choices(STEPS),
  )
  .action((folder, service, setting, step) => rotateKey(folder, service, setting, step))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
