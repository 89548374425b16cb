import { watch } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import type { SetUpCode } from '@family-inbox/ops/set-up-code'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import type { DkimRecord } from '@family-inbox/workspace-kit/dkim'
import { endpointsOf } from '@family-inbox/workspace-kit/endpoints'
import type { Config } from './config.ts'

export function printEndpoints(config: Config, owner?: string): string {
  const { urls, mailDomain, smtpPort, dataDir, outboxDir, hasPublicSite } = config
  const below = relative('', dataDir)
  // A real mail server would send the code to an address that does not exist.
  const signIn = owner && outboxDir ? `\n  Sign in as    ${owner} (the code appears here)` : ''
  const folder = below.startsWith('..') ? dataDir : below
  const operator = folder === '.data' ? 'npm run ops' : `DATA_DIR=${folder} npm run ops`
  return `
  Tool server   ${endpointsOf(urls).mcp}
  Application   ${urls.inbox}${signIn}${hasPublicSite ? `\n  Public site   ${urls.base}` : ''}
  Inbound mail  localhost:${smtpPort}, for addresses at ${mailDomain}
  Outgoing mail ${outboxDir ? `${urls.inbox}/dev/mail` : 'sent through your mail server'}
  Data, logs    ${folder}, ${folder}/logs
  Operator      ${operator} -- --help
`
}

/** How the operator creates the first family. Only this shows the code. */
export function setUpHelp({ code, url, expiresAt }: SetUpCode): string {
  const hours = Math.round((expiresAt.getTime() - Date.now()) / HOUR_MS)
  return `
There is no family here yet. Open ${url} and enter this set-up code. It works once, within ${hours} hours:

  ${code}
`
}

/** What receivers need to check the signature of mail. `npm run ops -- dkim` prints it again. */
export function dkimHelp({ name, value }: DkimRecord): string {
  return `Outgoing mail is signed. Add this TXT record in DNS (npm run ops -- dkim shows it again):

  ${name}
  ${value}
`
}

/** How to connect to the demo family. This is the only time its key is shown. */
export function connectionHelp({ urls }: Config, family: DemoFamily): string {
  const url = endpointsOf(urls).mcp
  const key = family.keys.owner
  const client = {
    mcpServers: { 'family-inbox': { type: 'http', url, headers: { Authorization: `Bearer ${key}` } } },
  }
  return `
Created a demo family; its mail arrived over SMTP. This is the owner's tool key. It won't be shown again:

  ${key}

Try it:

  curl -s ${url} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_inbox_messages","arguments":{"lovedOneId":"${family.lovedOnes[0]?.id}"}}}'

Give it to an agent (MCP client configuration):

${JSON.stringify(client, null, 2).replaceAll(/^/gm, '  ')}

Send mail to ${family.lovedOnes.map(({ name, inboxAddress }) => `${name} <${inboxAddress}>`).join(' or ')}.
`
}

const CODE = /\b\d{4} \d{4}\b/
const TO = /^To: (.*)$/m

export async function printCodes(outboxDir: string, say: (line: string) => void): Promise<Disposable> {
  await mkdir(outboxDir, { recursive: true })
  const watcher = watch(outboxDir, async (_event, name) => {
    if (!name?.startsWith('sign-in-') || !name.endsWith('.eml')) return
    const mail = await readFile(join(outboxDir, name), 'utf8').catch(() => '')
    const code = CODE.exec(mail)?.[0]
    if (code) say(`Sign-in code for ${TO.exec(mail)?.[1]?.trim()}: ${code}`)
  })
  return { [Symbol.dispose]: () => watcher.close() }
}
