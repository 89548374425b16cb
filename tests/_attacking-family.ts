import { join } from 'node:path'
import { seedDemo } from '@family-inbox/ops/demo-seed'
import { startWorker } from '../bench/measure/worker.ts'
import { ATTACKS, type Attack, type AttackFigures, type AttackOptions } from '../bench/world/attack-names.ts'
import type { Guest } from './_family.ts'
import type { Sink } from './_mail-sink.ts'
import { openMailer } from './_mailer.ts'
import type { SharedStack } from './_shared-stack.ts'
import { signIn } from './_visitor.ts'

const FILE_BYTES = 2 * 1024 * 1024
const SECONDS_EACH = 3

/**
 * Another family attacks the stack in every way, one after the other, until disposed.
 * @param perSecond attacks
 */
export async function startAttackingFamily(
  stack: SharedStack,
  sink: Sink,
  perSecond: number,
): Promise<AsyncDisposable> {
  const { people, lovedOnes, keys } = await seedDemo(stack.target)
  const { id: lovedOneId, inboxAddress } = lovedOnes[0] ?? { id: '', inboxAddress: '' }
  await openMailer(stack).deliver(inboxAddress, largeMail())
  const options: AttackOptions = {
    apiUrl: stack.apiUrl,
    inboxUrl: stack.inboxUrl,
    smtp: stack.target.smtp,
    inboxAddress,
    filePath: `/inbox/${lovedOneId}/${await newestMessage(stack, keys.owner, lovedOneId)}/files/0`,
    cookie: (await signIn({ stack } as Guest, sink, people.owner)).cookie,
  }
  const file = join(import.meta.dirname, '../bench/load/attack.ts')
  const { worker } = await startWorker<Attack, AttackFigures, object>(file, options)
  let isOver = false
  const attacking = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const name = ATTACKS[turn % ATTACKS.length] as Attack['name']
      await worker.ask({ name, perSecond, seconds: SECONDS_EACH })
    }
  })()
  attacking.catch((error) => process.stderr.write(`The attack ended: ${error}\n`))
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await attacking.catch(() => {})
      await worker[Symbol.asyncDispose]()
    },
  }
}

function largeMail(): string {
  const lines =
    Buffer.alloc(FILE_BYTES, 'scan')
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  const header = ['Subject: Scans', 'Content-Type: application/pdf', 'Content-Transfer-Encoding: base64']
  return [...header, '', ...lines, ''].join('\r\n')
}

async function newestMessage({ apiUrl }: SharedStack, key: string, lovedOneId: string): Promise<string> {
  const params = { name: 'list_inbox_messages', arguments: { lovedOneId, limit: 1 } }
  const answer = await fetch(`${apiUrl}/mcp/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return ((await answer.json()) as any).result.structuredContent.messages[0].id
}
