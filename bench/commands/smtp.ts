import { join } from 'node:path'
import type { Message } from '@family-inbox/inbox/models/message'
import { startStack } from '@family-inbox/local-stack/stack'
import { type MailSample, type MailServer, startMailLoad } from '../load/measure-mail.ts'
import type { Options } from '../measure/options.ts'
import { shuffled } from '../measure/statistics.ts'
import { startWorker } from '../measure/worker.ts'
import { processNamed } from '../peers/peer.ts'
import type { SmtpFloorOptions } from '../peers/smtp-floor.ts'
import { mailTable, summariseMail } from '../report/mail-table.ts'
import { tenKilobyteMail } from '../world/ten-kilobyte-mail.ts'
import { makeWorkspace } from '../world/workspace.ts'

const FLOOR_DATABASE = 'bench_smtp_floor'
const WARM_UP_SECONDS = 2

/** Durable mail: ours and smtp-server with one insert of the same durability, in turn. */
export async function benchSmtp({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack()
  await using workspace = await makeWorkspace(stack)
  const options: SmtpFloorOptions = { mongoUri: workspace.databases.inbox, database: FLOOR_DATABASE }
  const file = join(import.meta.dirname, '../peers/smtp-floor.ts')
  const { worker: floor, hello } = await startWorker<never, never, { port: number }>(file, options)
  await using _floor = floor
  const mongod = processNamed(stack, 'mongod')
  const messages = workspace.collection<Message>('inbox', 'messages')
  const ours: MailServer = {
    name: 'ours',
    port: stack.smtpPort,
    processes: { ...processNamed(stack, 'inbox'), ...mongod },
    stored: () => messages.countDocuments(),
    isIdle: async () => (await messages.countDocuments({ authenticityPending: true })) === 0,
  }
  const bare: MailServer = {
    name: 'bare',
    port: hello.port,
    processes: { bare: floor.pid, ...mongod },
    stored: () => messages.db.client.db(FLOOR_DATABASE).collection('mails').countDocuments(),
    isIdle: async () => true,
  }

  const recipient = workspace.family.lovedOnes[0]?.inboxAddress ?? ''
  await using load = await startMailLoad(recipient, await tenKilobyteMail())
  for (const server of [ours, bare]) await load.measure(server, WARM_UP_SECONDS)
  const samples: MailSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const server of shuffled([ours, bare]))
      samples.push({ round, ...(await quietly(() => load.measure(server, seconds))) })
  }
  const summary = summariseMail(samples)
  say(mailTable(summary))
  return { summary, samples }
}
