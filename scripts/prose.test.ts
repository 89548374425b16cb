import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'

const ROOT = join(import.meta.dirname, '..')

/** Phrases that read as translated. CONTRIBUTING.md says what to write instead. */
const TELLS = [
  /\b(is|are|was|were) told\b/i,
  /\b(is|are) said to be\b/i,
  /\bfor ever\b/i,
  /\bwho (dies|has|asks|knows|writes|comes|meets|reads|wants)\b/i,
  /\bby itself\b/i,
  /\bstands? (in|on|beside|there|here|for what)\b/i,
  /\bgo(es)? on (with|by|as|and|from|to)\b/i,
  /\bheed(s|ed|ing)?\b/i,
  /\bwhatever (becomes|happens to)\b/i,
  /\bis no (valid|[A-Z])/,
  /\bwhat is (no|not)\b/i,
  /\banew\b/i,
  /\b(and|or) the like\b/i,
  /\btaken? for (a|an|the|none|no)\b/i,
  /\bwithout a word\b/i,
  /\bfar (from )?it has come\b/i,
  /\bis there already\b/i,
  /\bthere is none of\b/i,
  /\bso that nobody\b/i,
  /\bwhose it is\b/i,
  /\bevermore\b|\bthereof\b|\bwherein\b|\bhitherto\b/i,
]

/** Lines that need such a phrase, by file. */
const EXCEPTIONS: Readonly<Record<string, readonly { part: string; reason: string }[]>> = {}

const PROSE = ['*.ts', '*.mjs', '*.js', '*.md', '*.proto', '*.css', '*.yaml', '*.html']
const OTHER_PEOPLES_WORDS = /^(scripts\/prose\.test\.ts|tests\/mail-corpus|pnpm-lock\.yaml|tests\/.*\.eml)/

test('no sentence uses a phrase that reads as translated', (t) => {
  const listed = execFileSync('git', ['ls-files', ...PROSE], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  const files = listed.filter((path) => path !== '' && !OTHER_PEOPLES_WORDS.test(path))
  t.deepEqual(files.flatMap(tellsIn), [])
})

function tellsIn(path: string): string[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
  const isException = (line: string) => EXCEPTIONS[path]?.some(({ part }) => line.includes(part)) ?? false
  return lines.flatMap((line, position) => {
    const tell = TELLS.find((pattern) => pattern.test(line))
    return tell === undefined || isException(line) ? [] : [`${path}:${position + 1} ${tell.source}: ${line.trim()}`]
  })
}
