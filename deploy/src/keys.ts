// `npm run keys`: creates a cluster's secrets as files and rotates its keys.
import { Argument, Command } from 'commander'
import { makeKeys, rotatableKeys, rotateKey } from './key-folder.ts'
import { STEPS } from './rotation.ts'

const program = new Command('npm run -s keys --').description('The secrets of a cluster, as files in a folder.')

program
  .command('make <folder>')
  .description('Create the missing secrets, one file <folder>/<service>/<SETTING> each.')
  .requiredOption('--mongodb-uri <uri>', 'the replica set, for example mongodb://mongod-0.mongod:27017/?replicaSet=rs0')
  .option('--smtp-url <url>', 'the server for outgoing mail')
  .action((folder, stores) => makeKeys(folder, stores))

program
  .command('rotate <folder> <service> <setting>')
  .description(`Run one step of a key rotation. Keys: ${rotatableKeys().join(', ')}.`)
  .addArgument(new Argument('<step>', 'in this order; restart all replicas after each step').choices(STEPS))
  .action((folder, service, setting, step) => rotateKey(folder, service, setting, step))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
