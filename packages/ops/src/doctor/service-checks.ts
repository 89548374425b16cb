import { join } from 'node:path'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import type { SetUp } from './set-up.ts'
import type { World } from './world.ts'

/** Mail that a provider does not take now is tried again for some minutes often. */
const QUEUE_OLD_SEC = 3600
const OLDEST_NODE = 20

/** What `npm start` writes about what runs. */
type Running = { metricsUrls?: Record<string, string>; version?: string }

/** What waits inside, whom mail no longer goes to, and which versions run. */
export async function checkServices({ dataDir }: SetUp, world: World): Promise<Finding[]> {
  const running: Running = await world.readText(join(dataDir, 'stack.json')).then(JSON.parse, () => ({}))
  const metrics = await readMetrics(running, world)
  return [
    checkQueue(
      'outgoing mail',
      metrics,
      'mail_queue',
      'Look at what the mail server says in the logs, or run: npm run -s ops -- test-mail',
    ),
    checkQueue('agencies’ events', metrics, 'care_events', 'Look at the logs in DATA_DIR.'),
    checkStopped(metrics),
    checkVersions(running, world),
  ]
}

type Metrics = ReadonlyMap<string, number>

/** Of all processes. Without labels: only those are read here. */
async function readMetrics({ metricsUrls = {} }: Running, world: World): Promise<Metrics> {
  const pages = await Promise.all(
    [...new Set(Object.values(metricsUrls))].map((url) =>
      world.get(url).then(
        ({ text }) => text,
        () => '',
      ),
    ),
  )
  const lines = pages.flatMap((page) => [...page.matchAll(/^family_inbox_(\w+) ([\d.e+-]+)$/gm)])
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]))
}

function checkQueue(check: string, metrics: Metrics, name: string, todo: string): Finding {
  const waiting = metrics.get(`${name}_waiting`)
  const oldestSec = metrics.get(`${name}_oldest_seconds`) ?? 0
  if (waiting === undefined) return skipped(check, 'Nobody says how much waits.')
  if (waiting === 0) return ok(check, 'Nothing waits.')
  const says = `${waiting} ${waiting === 1 ? 'waits' : 'wait'}, the oldest for ${Math.ceil(oldestSec / 60)} minutes.`
  return oldestSec > QUEUE_OLD_SEC ? problem(check, says, todo) : ok(check, says)
}

function checkStopped(metrics: Metrics): Finding {
  const check = 'stopped recipients'
  const recipients = metrics.get('stopped_recipients')
  if (recipients === undefined) return skipped(check, 'Nobody says how many there are.')
  if (recipients === 0) return ok(check, 'Mail goes to everybody.')
  return warning(
    check,
    `After a bounce or a complaint, no more mail goes to ${recipients} ${recipients === 1 ? 'address' : 'addresses'}.`,
    'The message to such an address says so, and lets the family write again. If there are many, check SPF, DKIM and DMARC.',
  )
}

function checkVersions({ version }: Running, world: World): Finding {
  const { installed, node } = world.versions()
  const check = 'versions'
  const says = `Version ${version ?? installed} runs on Node.js ${node}.`
  if (version !== undefined && version !== installed)
    return warning(check, `${says} Version ${installed} is installed.`, 'Restart to update.')
  const isOld = Number(node.split('.')[0]) < OLDEST_NODE
  return isOld ? warning(check, says, `Update Node.js to ${OLDEST_NODE} or newer.`) : ok(check, says)
}
