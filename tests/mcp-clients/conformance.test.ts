import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { freePort } from '@family-inbox/local-stack/free-port'
import anyTest, { type TestFn } from 'ava'
import type { Browser } from 'playwright-core'
import { type Guest, joinFamily } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { findChromium, openBrowser } from '../site/_browser.ts'
import { startProxy } from './_proxy.ts'
import { findAuthorization, signIn } from './_sign-in.ts'

const test = anyTest as TestFn<{ f: Guest; sink: Sink }>
const onScreen = findChromium() === undefined ? test.serial.skip : test.serial
const PROGRAM = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js')

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, sink: f.sink }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

/** Scenarios that cannot pass here, each with the reason. All others must pass. */
const FIXTURE = 'calls a tool of the suite’s own example server'
const NO_PROMPTS = 'needs prompts, which this server does not have'
const NO_RESOURCES = 'needs resources, which this server does not have'
const LEFT_OUT: Record<string, string> = {
  'logging-set-level': 'needs log messages to clients, which this server does not send',
  'completion-complete': 'needs completion of prompt arguments, which this server does not have',
  'json-schema-2020-12': FIXTURE,
  'http-custom-header-server-validation': FIXTURE,
  ...byName(FIXTURE, ['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content'], 'tools-call'),
  ...byName(FIXTURE, ['with-logging', 'error', 'with-progress', 'sampling', 'elicitation'], 'tools-call'),
  ...byName(FIXTURE, ['sep1034-defaults', 'sep1330-enums'], 'elicitation'),
  ...byName(
    NO_RESOURCES,
    ['list', 'read-text', 'read-binary', 'templates-read', 'subscribe', 'unsubscribe'],
    'resources',
  ),
  ...byName(NO_PROMPTS, ['list', 'get-simple', 'get-with-args', 'get-embedded-resource', 'get-with-image'], 'prompts'),
  ...byName(
    FIXTURE,
    [
      ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests'],
      ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'],
    ],
    'input-required-result',
  ),
}

/** Single checks that cannot pass, in scenarios that otherwise do. */
const CHECKS_LEFT_OUT: Record<string, string> = {
  'sep-2575-server-rejects-undeclared-capability': FIXTURE,
  'sep-2575-missing-capability-http-400': FIXTURE,
  'sep-2575-http-server-no-independent-requests-on-stream': FIXTURE,
  'sep-2575-server-no-log-without-loglevel': FIXTURE,
  'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
  'sep-2549-resources-list-caching-hints': NO_RESOURCES,
  'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
}

function byName(reason: string, names: string[], prefix: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${prefix}-${name}`, reason]))
}

type Check = { id: string; status: string; errorMessage?: string }

/** Runs the suite. Its exit code says that something failed; what failed is in files. */
async function runSuite(args: string[], help?: (printed: Readable) => Promise<void>): Promise<Map<string, Check[]>> {
  const results = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const suite = spawn(process.execPath, [PROGRAM, ...args, '-o', results], { timeout: 240_000 })
    suite.stderr.resume()
    const closed = once(suite, 'close')
    await help?.(suite.stdout)
    suite.stdout.resume()
    await closed
    const folders = await readdir(results)
    const read = folders.map(async (folder): Promise<[string, Check[]]> => {
      const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
      return [scenario, JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8'))]
    })
    return new Map(await Promise.all(read))
  } finally {
    await rm(results, { recursive: true })
  }
}

for (const [name, addressOf, needsKey] of [
  ['the family tool server', (f: Guest) => `${f.stack.apiUrl}/mcp/v1`, true],
  ['its alias', (f: Guest) => `${f.stack.inboxUrl}/api/mcp`, true],
  ['the sandbox endpoint', (f: Guest) => `${f.stack.inboxUrl}/api/mcp/public`, false],
] as const)
  for (const revision of ['2025-11-25', '2026-07-28'])
    test.serial(`${name} passes the public conformance suite for ${revision}`, async (t) => {
      const { f } = t.context
      // The suite has no option for headers.
      await using proxy = await startProxy(addressOf(f), needsKey ? f.family.keys.owner : undefined)
      const results = await runSuite(['server', '--url', proxy.url, '--suite', 'all', '--spec-version', revision])
      t.true(results.size > 30, `${results.size} scenarios ran`)
      for (const [scenario, checks] of results) {
        const failures = checks.filter(({ id, status }) => status === 'FAILURE' && !(id in CHECKS_LEFT_OUT))
        if (!(scenario in LEFT_OUT)) t.deepEqual(failures, [], scenario)
      }
      const passed = [...results.keys()].filter((scenario) => !(scenario in LEFT_OUT))
      t.true(passed.includes('tools-list') && passed.includes('dns-rebinding-protection'))
      t.is(passed.includes('server-stateless'), revision === '2026-07-28')
    })

/** The suite is a client of its own: it needs a registration, and a person who signs in. */
async function grantInBrowser({ f, sink, browser }: { f: Guest; sink: Sink; browser: Browser }) {
  const port = await freePort()
  const registration = await fetch(`${f.stack.inboxUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  })
  const { client_id: clientId } = (await registration.json()) as { client_id: string }
  const args = ['--client-id', clientId, '--resource', `${f.stack.apiUrl}/mcp/v1`, '--port', String(port)]
  return runSuite(['authorization', '--url', f.stack.inboxUrl, ...args], async (printed) => {
    await signIn(browser, sink, f.family.people.owner, await findAuthorization(printed))
  })
}

/** The suite has two scenarios, metadata and the authorization-code grant, and both run. */
onScreen('the authorization server passes the public conformance suite', async (t) => {
  await using browser = await openBrowser()
  const results = await grantInBrowser({ ...t.context, browser })
  const checks = [...results.values()].flat()
  for (const id of ['authorization-server-metadata-cimd', 'authorization-code-grant'])
    t.true(
      checks.some((check) => check.id.startsWith(id) && check.status === 'SUCCESS'),
      id,
    )
  t.deepEqual(
    checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO'),
    [],
  )
})
