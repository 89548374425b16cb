import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { replaceBetween } from '../../deploy/src/docs.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { until } from '../_wait.ts'
import { clientTable, ROWS } from './_clients.ts'
import { CONNECT, type Job, whyNot } from './_connect.ts'
import { skippedFor } from './_packages.ts'
import { startProxy } from './_proxy.ts'

const test = anyTest as TestFn<{ f: Guest }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const search = { lovedOneId: f.family.lovedOnes[0]?.id, query: 'INR' }
  const found = async () => (await f.call(f.family.keys.viewer, 'list_inbox_messages', search)).text
  await until(async () => (await found()).includes('Your lab results are ready'))
  t.context = { f }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

for (const [client, modes] of Map.groupBy(ROWS, (row) => row.client)) {
  const lacking = whyNot(client)
  const run = lacking === undefined ? test.serial : test.serial.skip
  run(
    `${client} connects at every address in every mode (${modes.map(({ mode }) => mode).join(', ')})${skippedFor(lacking)}`,
    async (t) => {
      const { stack, family } = t.context.f
      const [key, lovedOneId] = [family.keys.viewer, family.lovedOnes[0]?.id ?? '']
      const servers: [url: string, key: string, lovedOneId: string, tools: number][] = [
        [`${stack.apiUrl}/mcp/v1`, key, lovedOneId, 10],
        [`${stack.inboxUrl}/api/mcp`, key, lovedOneId, 10],
        [`${stack.inboxUrl}/api/mcp/public`, '', '', 1],
      ]
      await using proxies = new AsyncDisposableStack()
      const rows = []
      for (const { mode, revision } of modes)
        for (const [address, ownKey, ownLovedOne, tools] of servers) {
          const proxy = proxies.use(await startProxy(address))
          const job: Job = { url: proxy.url, key: ownKey, lovedOneId: ownLovedOne, mode }
          rows.push({ job, proxy, tools, revision, name: `${mode} at ${address}` })
        }
      const seen = await CONNECT[client](rows.map(({ job }) => job))
      for (const [index, { proxy, tools, revision, name }] of rows.entries()) {
        t.is(seen[index]?.tools.length, tools, name)
        t.is(proxy.revisions.at(-1), revision, name)
        const subjects = seen[index]?.subjects
        if (subjects !== undefined) t.true(subjects.includes('Your lab results are ready'), name)
      }
      t.true(seen.some(({ subjects }) => subjects !== undefined))
    },
  )
}

test('docs/agents.md lists these clients; node tests/mcp-clients/write-table.ts updates it', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
  t.is(aligned(page), aligned(replaceBetween(page, 'clients', clientTable())))
})

/** The formatter aligns tables, so compare without spacing. */
function aligned(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{2,}/g, '-')
}
