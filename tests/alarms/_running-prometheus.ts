import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@family-inbox/local-stack/free-port'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { readUntil } from '../_wait.ts'

export type Alert = {
  state: 'pending' | 'firing'
  labels: { alertname: string; severity: string; [name: string]: string }
}

export type RunningPrometheus = AsyncDisposable & {
  /** What rings, except the watchdog. */
  ringing(): Promise<Alert['labels'][]>
  /** The values of an instant query. */
  query(expression: string): Promise<number[]>
}

export const RULES = join(import.meta.dirname, '../../deploy/monitoring/rules.yaml')
/** A page takes 1.5 s while a store does not answer. */
export const PACE = { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '1s' }
const SECOND_A_MINUTE = 60

/** Scrapes a stack every two seconds, with the product's rules sixty times as fast. @param binary of Prometheus */
export async function watchStack(binary: string, { metricsUrls }: Stack): Promise<RunningPrometheus> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-prometheus-'))
  await writeFile(join(dir, 'rules.yaml'), hasten(await readFile(RULES, 'utf8')))
  const scrape_configs = Object.entries(metricsUrls).map(([job_name, url]) => ({
    job_name,
    static_configs: [{ targets: [new URL(url).host], labels: { app_kubernetes_io_part_of: 'family-inbox' } }],
  }))
  await writeFile(
    join(dir, 'prometheus.yml'),
    JSON.stringify({ global: PACE, rule_files: ['rules.yaml'], scrape_configs }),
  )
  const url = `http://127.0.0.1:${await freePort()}`
  const options = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', '--log.level=error']
  const child = spawn(binary, [...options, `--web.listen-address=${new URL(url).host}`], { cwd: dir, stdio: 'inherit' })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await exited
    await rm(dir, { recursive: true })
  }
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await readUntil(isReady, (ready) => ready || child.exitCode !== null).catch(async (error) => {
    await stop()
    throw error
  })
  const ask = async (path: string) => {
    const { data } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: unknown }
    return data
  }
  return {
    async ringing() {
      const { alerts } = (await ask('alerts')) as { alerts: Alert[] }
      return ringing(alerts)
    },
    async query(expression) {
      const { result } = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
        result: { value: [number, string] }[]
      }
      return result.map(({ value }) => Number(value[1]))
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** What rings of these, except the watchdog. */
export function ringing(alerts: readonly Alert[]): Alert['labels'][] {
  return alerts.flatMap(({ state, labels }) => (state === 'firing' && labels.alertname !== 'Watchdog' ? labels : []))
}

/** Makes seconds of minutes: in windows, waits, intervals, and the ages that alarms compare. */
export function hasten(rules: string): string {
  const faster = (seconds: number) => `${Math.max(1, Math.round(seconds / SECOND_A_MINUTE))}`
  return rules
    .replaceAll(/(\[|for: |interval: )(\d+)([smhd])\b/g, (_, before, count, unit) => {
      return `${before}${faster(count * (UNITS[unit] ?? 0))}s`
    })
    .replaceAll(/(oldest_seconds\)? > )(\d+)/g, (_, before, seconds) => before + faster(seconds))
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
