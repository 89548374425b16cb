import { gauges } from './metrics.ts'

const watchStore = gauges({
  name: 'store_reachable',
  help: 'Whether this process reaches a store: 1 or 0.',
  label: 'store',
  otherwise: 0,
})

/** Each scrape asks the store itself. An error or no answer counts as 0, so that the series does not vanish with the store. */
export function exportReachability(store: 'mongodb' | 'nats', answers: () => Promise<boolean>): void {
  watchStore(store, async () => ((await answers()) ? 1 : 0))
}
