import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runStep } from './run-step.mjs'

/**
 * The command that runs pnpm. A registry may send anything, so a pinned hash (`packageManager` in package.json, as Corepack writes it) is
 * checked before pnpm is unpacked. npx would unpack its thousand files again for every run.
 * @returns {Promise<string[]>}
 * @throws {Error} when the registry has sent something else
 */
export async function pinnedPnpm(root, env = process.env) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [version, pin] = packageManager.split('+')
  if (pin === undefined) return ['npx', '--yes', version]
  const [algorithm, expected] = pin.split('.')
  const cache = join(root, '.cache')
  const name = version.replace('@', '-')
  const folder = join(cache, `${name}-${expected.slice(0, 12)}`)
  const file = join(cache, `${name}.tgz`)
  const isRight = () => createHash(algorithm).update(readFileSync(file)).digest('hex') === expected
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    if (!existsSync(file) || !isRight()) {
      await runStep(`Downloading ${version}`, ['npm', 'pack', version, '--pack-destination', cache], { cwd: root, env })
    }
    if (!isRight()) {
      rmSync(file)
      throw new Error(
        `${version} is not what package.json pins: its ${algorithm} differs. Do not install it from this registry.`,
      )
    }
    unpack(file, folder)
  }
  return [process.execPath, join(folder, 'package/bin/pnpm.cjs')]
}

/** Only a complete folder gets its name, because another process may need it at the same moment. */
function unpack(file, folder) {
  const part = `${folder}.${process.pid}`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part)
  execFileSync('tar', ['-xzf', file, '-C', part])
  try {
    renameSync(part, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(part, { recursive: true })
  }
}
