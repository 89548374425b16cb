// Which test file runs when, and in which company. Paths are from the root of the repository.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The files of `npm run test:long`, with the reason. `npm test` runs what is in no list. */
const LONG: Readonly<Record<string, string>> = {
  'bench/peers/agree.test.ts': 'starts every server that the benchmarks compare',
  'packages/local-stack/src/replicas.test.ts': 'two of each service, three of each store',
  'services/gateway/src/mcp/any-request.test.ts': 'a hundred thousand random requests',
  'tests/alarms/rules.test.ts': 'builds Prometheus, which takes minutes on a new machine',
  'tests/alarms/whole-stack.test.ts': 'waits until alarms of Prometheus ring and stop',
  'tests/app/alarms-killed.test.ts': 'kills a process again and again',
  'tests/app/notices-killed.test.ts': 'kills a process again and again',
  'tests/app/notifications-killed.test.ts': 'kills a process again and again',
  'tests/app/weekly-summary-killed.test.ts': 'kills a process again and again',
  'tests/appointments/killed.test.ts': 'kills processes at random moments',
  'tests/auth/key-rotation.test.ts': 'replaces every process',
  'tests/auth/replicas.test.ts': 'two of each service',
  'tests/care-circle/killed-while-inviting.test.ts': 'kills processes at random moments',
  'tests/cluster/backup-jobs.test.ts': 'lays out an image',
  'tests/cluster/linearizable.test.ts': 'checks long histories of many replicas',
  'tests/cluster/partner-secrets-rotation.test.ts': 'replaces every process under load',
  'tests/cluster/starts-from-manifests.test.ts': 'lays out every image',
  'tests/cluster/two-versions.test.ts': 'installs the version before',
  'tests/event-pipe/nothing-lost.test.ts': 'kills processes at random moments',
  'tests/inbox/fetched-mail-killed.test.ts': 'kills a process after each step, and two of one service',
  'tests/inbox/killed-while-receiving.test.ts': 'kills a process at random moments',
  'tests/mcp-clients/conformance.test.ts': 'a client that is downloaded',
  'tests/mcp-clients/convert-schemas.test.ts': 'clients in other languages',
  'tests/mcp-clients/matrix.test.ts': 'clients in other languages',
  'tests/mcp-clients/programs-oauth.test.ts': 'clients in other languages',
  'tests/mcp-clients/python-client.test.ts': 'a client in another language',
  'tests/operations/backup-bucket.test.ts': 'makes many backups one after another',
  'tests/operations/image-in-one-run.test.ts': 'builds an image',
  'tests/operations/image.test.ts': 'builds an image',
  'tests/operations/killed-before-migration.test.ts': 'kills a server at random moments',
  'tests/operations/killed-migrations.test.ts': 'kills a process at random moments',
  'tests/operations/moves-and-returns.test.ts': 'starts a server, a cluster and another server',
  'tests/operations/nightly-backup.test.ts': 'starts four households, and rebuilds one from a backup',
  'tests/operations/point-in-time.test.ts': 'three databases of its own, and restores',
  'tests/operations/public-start.test.ts': 'runs npm start twice',
  'tests/operations/read-texts-again.test.ts': 'starts a stack of its own again, with the data of an earlier version',
  'tests/operations/same-image.test.ts': 'lays out two images',
  'tests/operations/seal-earlier.test.ts': 'starts a stack of its own twice',
  'tests/operations/service-image.test.ts': 'builds an image',
  'tests/outgoing-mail/approved-invitations.test.ts': 'kills processes at random moments',
  'tests/outgoing-mail/approved-once.test.ts': 'kills processes at random moments',
  'tests/outgoing-mail/guard-races.test.ts': 'repeats a race many times',
  'tests/outgoing-mail/killed-while-sending.test.ts': 'kills a process again and again',
  'tests/outgoing-mail/killed-with-attachments.test.ts': 'kills processes at random moments',
  'tests/promises/audit-killed.test.ts': 'kills processes at random moments',
  'tests/promises/crash-points.test.ts': 'starts a service again after each durable step',
  'tests/promises/damaged-store.test.ts': 'damages a store',
  'tests/promises/gone-is-gone.test.ts': 'two databases of its own, and a restore',
  'tests/promises/many-pauses.test.ts': 'a thousand pauses',
  'tests/promises/many-revocations.test.ts': 'hundreds of revocations',
  'tests/promises/nothing-lost.test.ts': 'kills processes at random moments',
  'tests/promises/writes-once.test.ts': 'kills processes at random moments',
  'tests/site/accessibility.test.ts': 'every page in every state, in dark mode, too',
  'tests/site/looks-everywhere.test.ts': 'every page at three widths, in dark mode, too',
  'tests/site/phone.test.ts': 'every page that links lead to, at three widths',
  'tests/sandbox/killed-while-starting.test.ts': 'kills processes while many sandboxes start',
  'tests/sandbox/strange-starts.test.ts': 'a flood of sandboxes',
  'tests/timeline/killed-consumer.test.ts': 'kills a process again and again',
}

/** Files of `npm run test:long` that measure, but wait for most of their time and leave slack: they run beside each other alone. With the reason. */
const PATIENT: Readonly<Record<string, string>> = {
  'tests/hostile/doubling.test.ts': 'measures the processor time of every parser with growing input, on one thread',
  'tests/hostile/downloads.test.ts': 'measures the memory of many clients that stall',
  'tests/hostile/slow-clients.test.ts': 'a flood of slow clients, and how long others wait',
  'tests/hostile/smtp-drip.test.ts': 'a flood of slow clients, and how long others wait',
  'tests/hostile/smtp-slots.test.ts': 'a flood of slow clients, and how long others wait',
  'tests/promises/any-bytes.test.ts': 'measures how long many thousand random requests take',
  'tests/promises/failing-disk.test.ts': 'measures how long answers take while a disk fails',
  'tests/promises/stores-away.test.ts': 'measures how long answers take while stores are away',
}

/** Files of `npm run test:long` that run last, one at a time: they measure, or need every processor. With the reason. */
const QUIET: Readonly<Record<string, string>> = {
  'services/pipe/src/ingest/constant-time.test.ts': 'measures whether checks take equally long',
  'tests/cluster/key-rotation.test.ts': 'replaces every process under load',
  'tests/cluster/rolling-restart.test.ts': 'replaces every process under load',
  'tests/cluster/stores-fail.test.ts': 'stores fail at random moments',
  'tests/hostile/equal-times.test.ts': 'measures whether answers that must not differ take equally long',
  'tests/hostile/mail-flood.test.ts': 'a flood, and how long others wait',
  'tests/hostile/many-windows.test.ts': 'a flood, and how long others wait',
  'tests/hostile/oauth.test.ts': 'a flood, and how long others wait',
  'tests/hostile/pipe-flood.test.ts': 'a flood, and how long others wait',
  'tests/hostile/relay.test.ts': 'a flood, and how long others wait',
  'tests/hostile/sign-in.test.ts': 'a flood, and how long others wait',
  'tests/inbox/large-mails.test.ts': 'measures the memory that large mails take',
  'tests/promises/overload.test.ts': 'a flood, and the memory that it takes',
}

/** The files of `npm run test:cluster`, which run one at a time. With the reason. */
const CLUSTER: Readonly<Record<string, string>> = {
  'tests/cluster/kubernetes-api.test.ts': 'an API server of Kubernetes',
  'tests/cluster/kubernetes.test.ts': 'a Kubernetes of three nodes',
  'tests/cluster/kubernetes-ingress.test.ts': 'a Kubernetes of three nodes, with Traefik',
  'tests/cluster/kubernetes-scale.test.ts': 'a Kubernetes of three nodes, and a load that adds replicas',
  'tests/cluster/kubernetes-disturbances.test.ts':
    'a Kubernetes of three nodes, on which everything is replaced under load',
}

const UNIT =
  /^(?:services|scripts|deploy|bench\/(?:capacity|measure)|packages\/(?:service-kit|workspace-kit|mail-reader|ops))\//

/** Such a file changes what every test in its worker would see: hooks, the clock, or where traces go. */
const CHANGES_ITS_WORKER = /\btest\.(?:before|after)|\bmock\.|\benableTracing\(/

export type Tier = 'fast' | 'long' | 'cluster'

export function tierOf(file: string): Tier {
  if (file in CLUSTER) return 'cluster'
  return [LONG, PATIENT, QUIET].some((list) => file in list) ? 'long' : 'fast'
}

/** What runs at the same time as a file: any other, only the patient ones, or nothing. */
export type Company = 'any' | 'patient' | 'none'

export function companyOf(file: string): Company {
  if (file in PATIENT) return 'patient'
  return file in QUIET || file in CLUSTER ? 'none' : 'any'
}

/** Whether it starts neither a store nor a service. */
export function isUnit(file: string): boolean {
  return UNIT.test(file)
}

/** Whether its tests run in a worker that many unit files share. */
export function sharesWorker(file: string): boolean {
  return isUnit(file) && tierOf(file) === 'fast' && !CHANGES_ITS_WORKER.test(readFileSync(join(ROOT, file), 'utf8'))
}

/** The workers that unit files share: starting one for each file would cost several times as much as the tests. */
export const UNIT_PARTS = [1, 2, 3].map((part) => `scripts/unit-tests/part-${part}.ts`)

/** What one of those workers runs. @param part from 1 */
export function filesOfUnitPart(part: number): string[] {
  return testFiles()
    .filter(sharesWorker)
    .filter((_, index) => index % UNIT_PARTS.length === part - 1)
}

export function testFiles(): string[] {
  const patterns = ['packages', 'services', 'scripts', 'deploy', 'bench', 'tests'].map((dir) => `${dir}/**/*.test.ts`)
  return globSync(patterns, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).sort()
}
