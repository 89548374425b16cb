import { TOOLS } from '@family-inbox/workspace-kit/tool-catalogue'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { joinFamily } from '../_family.ts'

test('the official TypeScript client initializes, lists the tools, reads mail, and asks for a stream at most once', async (t) => {
  await using f = await joinFamily('standard', { withMail: true })
  let gets = 0
  const transport = new StreamableHTTPClientTransport(new URL(`${f.stack.apiUrl}/mcp/v1`), {
    requestInit: { headers: { authorization: `Bearer ${f.family.keys.viewer}` } },
    fetch: (url, init) => {
      if ((init?.method ?? 'GET') === 'GET') gets += 1
      return fetch(url, init)
    },
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  t.is(client.getServerVersion()?.name, 'app.service/family-inbox')

  const { tools } = await client.listTools()
  t.deepEqual(
    tools.map(({ name }) => name),
    TOOLS.map(({ name }) => name),
  )

  const lovedOneId = f.family.lovedOnes[0]?.id
  const list = await client.callTool({ name: 'list_inbox_messages', arguments: { lovedOneId } })
  const { messages } = list.structuredContent as { messages: { id: string; subject: string }[] }
  const lab = messages.find(({ subject }) => subject === 'Your lab results are ready')
  const read = await client.callTool({ name: 'get_inbox_message', arguments: { lovedOneId, messageId: lab?.id } })
  const message = read.structuredContent as { body: string; attachments: { filename: string }[] }
  t.regex(message.body, /Potassium 4\.4/)
  t.is(message.attachments[0]?.filename, 'report.pdf')

  await new Promise((resolve) => setTimeout(resolve, 2500))
  t.true(gets <= 1, `${gets} GETs`)
  await client.close()
})
