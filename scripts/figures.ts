// `npm run figures`: size and structure of the source in numbers, without tests, benchmarks and generated code.
import { fileCircles, folderCircles, readSources, type Source } from './circles.ts'
import { BUDGET_MINUTES, readLastRun } from './testing/costs.ts'
import type { Tier } from './testing/tiers.ts'

const SMALL = 15
/** However short: each RPC, each entry and the routes of each feature have a file of their own. */
const OWN_FILE = /\/rpc\/|\/(?:main|index)\.ts$/

const all = readSources()
const sources = all.filter(({ path }) => !path.startsWith('bench/'))
const sizes = sources.map(({ lines }) => lines.length).sort((a, b) => a - b)

print('source files', sources.length, 'about 550')
print('lines a file, median', at(0.5), '50 to 60')
print('lines a file, 90th percentile', at(0.9), 'at most 150')
print('lines a file, largest', sizes.at(-1) ?? 0, 'at most 220')
const small = sources.filter(({ path, lines }) => lines.length <= SMALL && !OWN_FILE.test(path))
print(`files of ${SMALL} lines or fewer, apart from RPCs and entries`, small.length, 'at most 60')
print('comment lines, %', Number(commentShare(sources).toFixed(1)), 'at most 6')
printCircles('import circles of files, types included', fileCircles(all))
printCircles('import circles of folders, types included', folderCircles(all))
const upward = sources.flatMap(upwardImports)
print('imports of a feature from the shell of services/site', upward.length, 'none')
for (const line of upward) process.stdout.write(`  ${line}\n`)
print('repeated blocks of six or more lines', countRepeats(sources), 'at most 50')

for (const [tier, { seconds }] of Object.entries(readLastRun())) {
  const budget = BUDGET_MINUTES[tier as Tier] * 60
  print(`processor seconds of the last whole run, tier ${tier}`, Math.round(seconds), `at most ${budget}`)
  if (seconds > budget) process.exitCode = 1
}

function print(name: string, value: number, aim: string) {
  process.stdout.write(`${name.padEnd(56)} ${String(value).padStart(6)}   (${aim})\n`)
}

function at(share: number): number {
  return sizes[Math.floor(sizes.length * share)] ?? 0
}

function printCircles(name: string, circles: readonly string[][]) {
  print(name, circles.length, 'none')
  for (const circle of circles) process.stdout.write(`  ${circle.join(' -> ')}\n`)
}

/** The percentage of lines that are only a comment. */
function commentShare(files: readonly Source[]): number {
  const lines = files.flatMap((file) => file.lines)
  const comments = lines.filter((line) => /^\s*(\/\/|\/\*|\*\/|\*(\s|$))/.test(line))
  return (100 * comments.length) / lines.length
}

/** In the site, features import the shell, never the reverse. */
function upwardImports({ path, imports }: Source): string[] {
  const shell = 'services/site/src/shell/'
  if (!path.startsWith(shell)) return []
  const isFeature = (to: string) => /^services\/site\/src\/(?!shell|assets)[^/]+\//.test(to)
  return imports.filter(isFeature).map((to) => `${path} -> ${to}`)
}

/** Pairs of files that share six identical lines of code. Ignores imports and punctuation. */
function countRepeats(files: readonly Source[]): number {
  const RUN = 6
  const filesByRun = new Map<string, Set<string>>()
  for (const { path, lines } of files) {
    const code = lines
      .map((line) => line.trim())
      .filter((line) => /\w/.test(line) && !/^(import|\/\/|\*|\/\*)/.test(line))
    for (let start = 0; start + RUN <= code.length; start++) {
      const run = code.slice(start, start + RUN).join('\n')
      filesByRun.set(run, (filesByRun.get(run) ?? new Set()).add(path))
    }
  }
  const pairs = new Set<string>()
  for (const paths of filesByRun.values()) {
    const [first, ...others] = [...paths].sort()
    for (const other of others) pairs.add(`${first} ${other}`)
  }
  return pairs.size
}
