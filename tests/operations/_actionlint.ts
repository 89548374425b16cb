import { join } from 'node:path'
import { builtWithGo } from '@family-inbox/local-stack/binaries/built-with-go'
import type { Search } from '@family-inbox/local-stack/binaries/found'

/** Checks workflows of GitHub. Its go.sum pins it. @returns the program */
export async function findActionlint(search: Search): Promise<string> {
  const module = join(import.meta.dirname, 'actionlint')
  const folder = await builtWithGo({ name: 'actionlint', module, packages: 'tool', takes: 'some seconds' }, search)
  return join(folder, 'actionlint')
}
