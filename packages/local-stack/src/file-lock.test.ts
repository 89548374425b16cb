import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { holderOf } from './file-lock.ts'

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux(
  'after a kill in a container, a thread with the number of the process before does not hold its lock',
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'family-inbox-lock-'))
    t.teardown(() => rm(dir, { recursive: true }))
    const lock = join(dir, 'lock')
    const thread = (await readdir('/proc/self/task')).find((id) => id !== `${process.pid}`)
    await writeFile(lock, `${thread}`)
    t.is(await holderOf(lock, await programOf('self')), undefined)
    await writeFile(lock, `${process.ppid}`)
    t.deepEqual(
      await holderOf(lock, await programOf(process.ppid)),
      { pid: process.ppid, isStopping: false },
      'another process does',
    )
  },
)

async function programOf(pid: number | 'self'): Promise<string> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')[0] ?? ''
}
