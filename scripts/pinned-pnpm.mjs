import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runStep } from './run-step.mjs'

/**
 * The arguments with which npx runs pnpm. npx runs whatever a registry sends, so a pinned hash (`packageManager` in package.json, as Corepack
 * writes it) is checked first.
 * @returns {Promise<string[]>}
 * @throws {Error} when the registry has sent something else
 */
export async function pinnedPnpm(root, env = process.env) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [version, pin] = packageManager.split('+')
  if (pin === undefined) return ['--yes', version]
  const [algorithm, expected] = pin.split('.')
  const folder = join(root, '.cache')
  const file = join(folder, `${version.replace('@', '-')}.tgz`)
  const isRight = () => createHash(algorithm).update(readFileSync(file)).digest('hex') === expected
  const run = ['--yes', `--package=file:${file}`, '--', 'pnpm']
  if (existsSync(file) && isRight()) return run
  mkdirSync(folder, { recursive: true })
  const command = ['npm', 'pack', version, '--pack-destination', folder]
  await runStep(`Downloading ${version}`, command, { cwd: root, env })
  if (isRight()) return run
  rmSync(file)
  throw new Error(
    `${version} is not what package.json pins: its ${algorithm} differs. Do not install it from this registry.`,
  )
}
