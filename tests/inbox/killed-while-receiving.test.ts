import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { openMailer } from '../_mailer.ts'
import { createRandom } from '../_random.ts'
import { openPostOffice } from './_post-office.ts'
import { plainMail } from './_smtp-client.ts'

const KILLS = 3
const LANES = 6

test('mail accepted with 250 is stored exactly once, even if inbox is killed at any moment', async (t) => {
  const random = createRandom()
  t.log(`TEST_SEED=${random.seed}`)
  await using office = await openPostOffice({ separate: ['inbox'] })
  const { stack } = office
  const lovedOne = await office.lovedOne()
  const sent = Array.from({ length: 60 }, (_, index) => `Kill ${String(index).padStart(2, '0')}`)
  const queue = [...sent]
  const mailer = openMailer(stack)
  async function sendAll(): Promise<void> {
    for (let subject = queue.shift(); subject !== undefined; subject = queue.shift())
      await mailer.deliver(lovedOne.address, plainMail(subject))
  }
  async function killNowAndThen(): Promise<void> {
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sleep(random.between(200, 1000))
      stack.kill('inbox')
      await stack.waitReady()
    }
  }
  const killing = killNowAndThen()
  await Promise.all(Array.from({ length: LANES }, sendAll))
  await killing
  const subjects = (await office.messages(lovedOne)).map(({ subject }) => subject)
  t.deepEqual(subjects.sort(), sent)
  t.notRegex(await readFile(stack.logs('inbox'), 'utf8'), /clinic\.example|Kill \d|family-inbox\.test|msg_|lo_/)
})
