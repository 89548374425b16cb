import type { MailSample } from '../load/measure-mail.ts'
import { spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

const FIGURES = { mailsPerSecond: 0, p50Ms: 2, p99Ms: 2, cpuUsPerMail: 0 } as const
type Figure = keyof typeof FIGURES
const figures = Object.keys(FIGURES) as Figure[]

export function summariseMail(samples: readonly MailSample[]) {
  const of = (name: string) => samples.filter(({ server }) => server === name)
  const spreads = (name: string) =>
    Object.fromEntries(figures.map((figure) => [figure, spreadOf(of(name).map((sample) => sample[figure]))]))
  const bareOf = (round: number) => samples.find((sample) => sample.round === round && sample.server === 'bare')
  const ratio = (figure: Figure) =>
    spreadOf(of('ours').map((sample) => sample[figure] / (bareOf(sample.round)?.[figure] ?? Number.NaN)))
  return {
    ours: spreads('ours'),
    bare: spreads('bare'),
    ratio: Object.fromEntries(figures.map((figure) => [figure, ratio(figure)])),
  }
}

export function mailTable({ ours, bare, ratio }: ReturnType<typeof summariseMail>): string {
  const row = (name: string, spreads: typeof ours, digits: (figure: Figure) => number) => [
    name,
    ...figures.map((figure) => (spreads[figure] ? shown(spreads[figure], digits(figure)) : '')),
  ]
  return [
    '\nDurable mail of 10 KB, 8 connections: median [min–max] of the rounds',
    table([
      ['', 'mails/s', 'p50 ms', 'p99 ms', 'CPU µs/mail'],
      row('ours', ours, (figure) => FIGURES[figure]),
      row('bare smtp-server', bare, (figure) => FIGURES[figure]),
      row('ratio', ratio, () => 2),
    ]),
  ].join('\n')
}
