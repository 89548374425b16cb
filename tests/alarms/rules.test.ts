import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import anyTest from 'ava'
import { parse } from 'yaml'
import { findPrometheus } from './_prometheus.ts'
import { LONG_CALM_MIN, WELL } from './_series.ts'
import { NO_TROUBLES, TROUBLES, type Trouble } from './_troubles.ts'

/** One at a time: fifty promtools would each collect garbage on every processor. */
const test = anyTest.serial
const run = promisify(execFile)
const RULES = join(import.meta.dirname, '../../deploy/monitoring/rules.yaml')
/** Some hours, for the slow rules too. */
const NOTHING_RINGS = { 5: [], 20: [], 70: [], 180: [], 400: [] }

const found = await findPrometheus()
const lacking = 'lacking' in found ? ` [${found.lacking}]` : ''
const runOrSkip = lacking === '' ? test : test.skip

test('every alarm has a trouble that makes it ring', async (t) => {
  const { groups } = parse(await readFile(RULES, 'utf8')) as { groups: { rules: { alert?: string }[] }[] }
  const alarms = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []))
  t.true(alarms.length > 25)
  const ring = new Set(['Watchdog', ...TROUBLES.flatMap((trouble) => trouble.alarms)])
  t.deepEqual([...new Set(alarms)].sort(), [...ring].sort())
})

runOrSkip(`Prometheus accepts the rules${lacking}`, async (t) => {
  const { stdout } = await run(promtool(), ['check', 'rules', '--lint=all', '--lint-fatal', RULES])
  t.regex(stdout, /SUCCESS/)
})

runOrSkip(`while all is well only the watchdog rings${lacking}`, async (t) => {
  const watchdog = {
    expr: 'count(ALERTS{alertname="Watchdog"})',
    eval_time: `${LONG_CALM_MIN + 10}m`,
    exp_samples: [{ labels: '{}', value: 1 }],
  }
  t.is(await evaluate({ series: {}, calmMin: LONG_CALM_MIN }, NOTHING_RINGS, [watchdog]), '')
})

for (const trouble of TROUBLES) {
  const { alarms, when, silentAt, ringsAt } = trouble
  runOrSkip(`${alarms.join(' and ')} ring${alarms.length === 1 ? 's' : ''} when ${when}${lacking}`, async (t) => {
    t.is(await evaluate(trouble, { [silentAt]: [], [ringsAt]: alarms }), '')
  })
}

for (const { when, series } of NO_TROUBLES)
  runOrSkip(`nothing rings when ${when}${lacking}`, async (t) => {
    t.is(await evaluate({ series, calmMin: LONG_CALM_MIN }, NOTHING_RINGS), '')
  })

function promtool(): string {
  if ('lacking' in found) throw new Error(found.lacking)
  return found.promtool
}

/**
 * Evaluates the rules with promtool.
 * @param expected by minutes of trouble, the alarms that ring
 * @param more tests in promtool's notation
 * @returns what differs
 */
async function evaluate(
  { series, calmMin }: Pick<Trouble, 'series' | 'calmMin'>,
  expected: Readonly<Record<number, readonly string[]>>,
  more: readonly object[] = [],
): Promise<string> {
  const tests = Object.entries(expected).map(([minutes, alarms]) => ({
    expr: 'count by (alertname) (ALERTS{alertstate="firing",alertname!="Watchdog"})',
    eval_time: `${calmMin + Number(minutes)}m`,
    exp_samples: alarms.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
  }))
  const input = Object.entries({ ...WELL, ...series }).flatMap(([name, values]) =>
    values === undefined ? [] : [{ series: name, values: values(calmMin) }],
  )
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-alarms-'))
  try {
    const file = join(dir, 'test.yaml') // JSON is YAML
    await writeFile(
      file,
      JSON.stringify({
        rule_files: [RULES],
        evaluation_interval: '30s',
        tests: [{ interval: '1m', input_series: input, promql_expr_test: [...tests, ...more] }],
      }),
    )
    return await run(promtool(), ['test', 'rules', file]).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    )
  } finally {
    await rm(dir, { recursive: true })
  }
}
