import { join } from 'node:path'
import { builtWithGo } from '@family-inbox/local-stack/binaries/built-with-go'
import { readEnvironment } from '@family-inbox/service-kit/config/config'

export type Prometheus = { prometheus: string; promtool: string }

/** Its go.mod and go.sum pin Prometheus and what it is built of. */
const MODULE = join(import.meta.dirname, 'prometheus')
/** Without service discovery in every cloud, and without its pages. */
const FLAGS = ['-tags', 'remove_all_sd']

/** Builds Prometheus and promtool, once per machine. @returns why not, where the Go module proxy does not answer */
export async function findPrometheus(): Promise<Prometheus | { lacking: string }> {
  const search = { env: readEnvironment(), say: (line: string) => void process.stderr.write(`${line}\n`) }
  try {
    const binaries = await builtWithGo(
      { name: 'Prometheus', module: MODULE, packages: 'tool', takes: 'some minutes', flags: FLAGS },
      search,
    )
    return { prometheus: join(binaries, 'prometheus'), promtool: join(binaries, 'promtool') }
  } catch (error) {
    const [line = ''] = String((error as { stderr?: unknown }).stderr ?? error).split('\n')
    return { lacking: `Prometheus could not be built: ${line}` }
  }
}
