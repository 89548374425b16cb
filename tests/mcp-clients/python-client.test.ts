import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { joinFamily } from '../_family.ts'
import { fetchPackage, skippedFor, whyLacking } from './_packages.ts'

const run = promisify(execFile)

const lacking = whyLacking('Python SDK 2')
const runOrSkip = lacking === undefined ? test : test.skip

runOrSkip(
  `the official Python client lists the tools, reads mail with a key, and sees tool errors${skippedFor(lacking)}`,
  async (t) => {
    const [PYTHONPATH, f] = await Promise.all([
      fetchPackage('Python SDK 2'),
      joinFamily('standard', { withMail: true }),
    ])
    try {
      const script = join(import.meta.dirname, 'python_client.py')
      const args = [script, `${f.stack.apiUrl}/mcp/v1`, f.family.keys.viewer, f.family.lovedOnes[0]?.id ?? '']
      const { stdout } = await run('python3', args, { env: { ...process.env, PYTHONPATH }, timeout: 60_000 })
      const seen = JSON.parse(stdout)
      t.is(seen.tools.length, 10)
      t.true(seen.subjects.includes('Your lab results are ready'))
      t.regex(seen.body, /Care plan/)
      t.deepEqual(seen.wrong, [true, 'messageId is required.'])
    } finally {
      await f[Symbol.asyncDispose]()
    }
  },
)
