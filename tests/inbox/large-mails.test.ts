import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { memoryOf } from '../_memory.ts'
import { openPostOffice, type PostOffice } from './_post-office.ts'
import { deliver, plainMail } from './_smtp-client.ts'

const MB = 1024 * 1024

let office: PostOffice

test.before(async () => {
  office = await openPostOffice({ separate: ['inbox'] })
})
test.after.always(() => office?.[Symbol.asyncDispose]())

test('eight concurrent mails of 20 MB stay within the memory limit, and all arrive eventually', async (t) => {
  const lovedOnes = await Promise.all(Array.from({ length: 8 }, () => office.lovedOne()))
  const text = 'abcdefghij'
    .repeat(7)
    .concat('\r\n')
    .repeat((20 * MB) / 72)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(office.stack.pid('inbox')).residentMb)
  }, 100)
  const answers = await Promise.all(
    lovedOnes.map(async ({ address }, index) => {
      const mail = plainMail(`Large ${index}`, text)
      const seen: string[] = []
      while (seen.at(-1) !== '250' && seen.length < 40) {
        if (seen.length > 0) await sleep(250)
        seen.push((await deliver(office.stack.smtpPort, address, mail)).slice(0, 3))
      }
      return seen
    }),
  )
  clearInterval(watch)
  t.true(peak < 800, `${peak} MB`)
  for (const codes of answers) t.regex(codes.join(), /^(45\d,)*250$/)
  for (const lovedOne of lovedOnes) t.is((await office.messages(lovedOne)).length, 1)
})
