// `npm run cluster`: Kubernetes with three nodes on this machine, to try the manifests on.
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { Argument, Command } from 'commander'
import { applyOverlay, OVERLAYS } from './apply.ts'
import { down } from './down.ts'
import { forward } from './forward.ts'
import { makeImages } from './images/images.ts'
import { cutPower, startInside } from './inside.ts'
import { findAllPrograms } from './programs/programs.ts'
import { KUBERNETES, layoutIn, NODES, nodeName } from './system/layout.ts'
import { up } from './up.ts'

const program = new Command('npm run cluster --')
  .description(
    `Kubernetes ${KUBERNETES} with three nodes on this machine (Linux, as root). Everything is in namespaces of its own and ends with "down".`,
  )
  .option('--dir <folder>', 'where the cluster keeps its files', join(REPOSITORY, '.data/cluster'))
  .enablePositionalOptions()

const layout = () => layoutIn(resolve(program.opts().dir))

program
  .command('up', { isDefault: true })
  .description(
    'Start the cluster, with DNS and a registry of our images. The first time builds Kubernetes: about ten minutes.',
  )
  .action(async () => {
    await up(layout(), { env: readEnvironment(), say })
    say('Next: npm run cluster -- apply local, npm run cluster -- kubectl get pods -A, npm run cluster -- down')
  })

program
  .command('build')
  .description('Get and build everything that a cluster can run, Traefik included, and start nothing.')
  .action(async () => {
    const search = { env: readEnvironment(), say }
    await makeImages(await findAllPrograms(search), search)
  })

program
  .command('apply')
  .description('Apply an overlay of deploy/k8s with new secrets, or again with those of before.')
  .addArgument(new Argument('<overlay>').choices(OVERLAYS))
  .option('--component <name...>', 'add components of deploy/k8s/components')
  .action(async (overlay, { component }) => {
    const additions = { components: component }
    say(await applyOverlay(layout(), overlay, additions, { env: readEnvironment(), say }))
  })

program
  .command('kubectl')
  .description('Run kubectl on the cluster.')
  .argument('[arguments...]')
  .allowUnknownOption()
  .helpOption(false)
  .passThroughOptions()
  .action(async (args: string[]) => {
    const child = await startInside(layout(), ['kubectl', ...args], ['inherit', 'inherit', 'inherit'])
    const [code] = await once(child, 'close')
    process.exitCode = code ?? 1
  })

program
  .command('forward')
  .description('Show a port of the product at a loopback port of this machine, until Ctrl-C.')
  .argument('<target>', 'for example service/gateway')
  .argument('<ports>', 'the port here and the one there, for example 8080:80')
  .action(async (target, ports) => {
    await using forwarded = await forward(layout(), target, ports)
    say(`Forwarding 127.0.0.1:${ports.split(':')[0]} to ${target}. Stop with Ctrl-C.`)
    const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)))
    await Promise.race([interrupted, forwarded.ended])
  })

program
  .command('stop-node')
  .description('End a node as a power cut does.')
  .addArgument(new Argument('<node>').choices(NODES.map(nodeName)))
  .action(async (name) => {
    const node = NODES.find((candidate) => nodeName(candidate) === name)
    if (node) await cutPower(layout(), node)
  })

program
  .command('down')
  .description('End the cluster and remove all it left.')
  .action(async () => say((await down(layout())) ? 'The cluster has ended.' : 'No cluster was running.'))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}
