import { execFile } from 'node:child_process'
import { createHmac, createSecretKey, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { signedHeaders, webhookHeaders } from '@family-inbox/ops/events/send-event'
import test from 'ava'
import { REQUIRED_FIELDS, readEnvelope } from '../../services/pipe/src/envelope/read-envelope.ts'
import { isSigned, isWebhookSigned } from '../../services/pipe/src/ingest/signature.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { type Agency, joinPipeWorld, type PipeWorld } from './_pipe.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const page = await readFile(join(DOCS, 'partners.md'), 'utf8')

let world: PipeWorld<SharedStack>
let agency: Agency
let subject: string
test.before(async () => {
  world = await joinPipeWorld()
  agency = await world.addAgency()
  subject = await world.link(agency)
  // The examples must work for agencies that have to sign the time.
  const { institutionId } = agency
  const facts = { institutionId, active: true, agreementDate: '', reviewDate: '', signedTimestampRequired: true }
  await world.services.pipe.setPartnerActive(facts)
})
test.after.always(() => world?.[Symbol.asyncDispose]())

type Example = { language: string; file: string; needs: string[]; command: [string, ...string[]] }

const examples: Example[] = [
  { language: 'bash', file: 'send.sh', needs: ['bash', 'curl', 'openssl'], command: ['bash', 'send.sh'] },
  { language: 'js', file: 'send.mjs', needs: [], command: [process.execPath, 'send.mjs'] },
  { language: 'python', file: 'send.py', needs: ['python3'], command: ['python3', 'send.py'] },
  { language: 'java', file: 'SendEvent.java', needs: ['java'], command: ['java', 'SendEvent.java'] },
]

for (const { language, file, needs, command } of examples) {
  test(`the ${language} example, unchanged, sends an event that reaches the timeline`, async (t) => {
    const missing = await missingTools(needs)
    if (missing.length > 0) return t.pass(`not here: ${missing.join(', ')}`)
    const event = agency.event(subject, {
      event_id: randomUUID(),
      payload: { caregiver_id: 'c', note_text: 'Grüße 👋' },
    })
    const answers = await runExample(blockOf(language), file, command, JSON.stringify(event, null, 2))
    t.regex(answers, /\b202\b/)
    const id = /"event_id":"(\w+)"/.exec(answers)?.[1] ?? ''
    await world.untilOnTimeline([id])
  })
}

test('the example event is valid', (t) => {
  const read = readEnvelope(Buffer.from(blockOf('json')))
  t.like(read, { envelope: { eventType: 'visit_ended', partnerEventId: 'visit-88213-end' } })
})

test('the test vectors match what we sign and accept', async (t) => {
  const { secret, vectors } = JSON.parse(await readFile(join(DOCS, 'partner-test-vectors.json'), 'utf8'))
  t.true(vectors.length > 4)
  for (const { name, body, signature } of vectors) {
    t.is(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`, name)
    t.is(signedHeaders('x', secret, body)['X-Pipe-Signature'], signature)
    t.true(isSigned(Buffer.from(body), [signature], [createSecretKey(secret, 'utf8')]))
    t.true('envelope' in readEnvelope(Buffer.from(body)), name)
  }
})

test('the test vectors for the signed time match what we sign and accept', async (t) => {
  const { secret, signedTimestamps } = JSON.parse(await readFile(join(DOCS, 'partner-test-vectors.json'), 'utf8'))
  t.true(signedTimestamps.vectors.length > 2)
  for (const { name, id, timestamp, body, signature } of signedTimestamps.vectors) {
    const headers = webhookHeaders(id, secret, body, new Date(Number(timestamp) * 1000))
    t.deepEqual(headers, { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }, name)
    const given = { ids: [id], timestamps: [timestamp], signatures: [signature] }
    t.true(isWebhookSigned(Buffer.from(body), given, [createSecretKey(secret, 'utf8')]))
  }
})

test('the page lists every type with its fields, and every status', (t) => {
  for (const [type, fields] of REQUIRED_FIELDS)
    t.true(page.includes(`| \`${type}\``) && fields.every((field) => page.includes(`\`${field}\``)), type)
  for (const status of ['202', '400', '401', '403', '404', '413', '429', '5xx'])
    t.regex(page, new RegExp(`^\\| ${status} `, 'm'))
})

function blockOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(page)?.[1]
  if (block === undefined) throw new Error(`docs/partners.md has no ${language}`)
  return block
}

async function runExample(code: string, file: string, [tool, ...args]: [string, ...string[]], event: string) {
  const folder = await mkdtemp(join(tmpdir(), 'family-inbox-partner-'))
  try {
    await writeFile(join(folder, file), code)
    await writeFile(join(folder, 'event.json'), event)
    const { institutionId, secret } = agency
    const env = { ...process.env, PIPE_URL: world.url, PIPE_INSTITUTION: institutionId, PIPE_SECRET: secret }
    const { stdout } = await promisify(execFile)(tool, args, { cwd: folder, env, timeout: 60_000 })
    return stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function missingTools(tools: string[]): Promise<string[]> {
  const found = await Promise.all(
    tools.map((tool) =>
      promisify(execFile)('sh', ['-c', `command -v ${tool}`]).then(
        () => true,
        () => false,
      ),
    ),
  )
  return tools.filter((_, index) => !found[index])
}
