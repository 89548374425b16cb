import { join } from 'node:path'
import type { Programs } from './programs.ts'

/** The environment of everything inside: nothing of it connects to a proxy. */
export function environmentFor({ kubernetes, networkPolicy, debian }: Programs): Record<string, string> {
  const folders = ['usr/sbin', 'usr/bin', 'sbin', 'bin'].map((folder) => join(debian, folder))
  const libraries = ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu'].map((folder) => join(debian, folder))
  return {
    HOME: '/root',
    PATH: [
      kubernetes,
      networkPolicy,
      ...folders,
      '/usr/local/sbin',
      '/usr/local/bin',
      '/usr/sbin',
      '/usr/bin',
      '/sbin',
      '/bin',
    ].join(':'),
    LD_LIBRARY_PATH: libraries.join(':'),
    XTABLES_LIBDIR: join(debian, 'usr/lib/x86_64-linux-gnu/xtables'),
  }
}
