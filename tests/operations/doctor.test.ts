import { runOps } from '@family-inbox/ops/run-ops'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'

const test = anyTest as TestFn<{ f: Guest }>

test.before(async ({ context }) => {
  context.f = await joinFamily()
})
test.after.always(({ context }) => context.f?.[Symbol.asyncDispose]())

/** Runs it as an operator does, and returns its exit code and what it says. */
async function examine(args: string[], env: Record<string, string>) {
  let text = ''
  const out = (more: string) => {
    text += more
  }
  return { code: await runOps(['doctor', ...args], { env, out, err: out }), text }
}

const here = ({ f }: { f: Guest }) => ({
  INBOX_URL: f.stack.inboxUrl,
  API_URL: f.stack.inboxUrl,
  BASE_URL: f.stack.inboxUrl,
})

test('an operator reads that all services are ready, and the command succeeds', async (t) => {
  const { code, text } = await examine([], here(t.context))
  t.is(code, 0, text)
  t.regex(text, /^✔ services: All services are ready\.$/m)
  t.regex(text, /^✔ secrets: /m)
})

test('a script reads what is wrong as JSON, and the command fails', async (t) => {
  const { code, text } = await examine(['--json'], { ...here(t.context), INBOX_URL: 'http://127.0.0.1:9' })
  t.is(code, 1)
  const { findings } = JSON.parse(text.split('\n')[0] ?? '')
  t.like(
    findings.find(({ check }: { check: string }) => check === 'services'),
    { state: 'problem' },
  )
})

test('a setting that is no address is named', async (t) => {
  const { code, text } = await examine([], { INBOX_URL: 'inbox' })
  t.is(code, 1)
  t.regex(text, /INBOX_URL/)
})
