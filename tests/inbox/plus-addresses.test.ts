import { InboxServiceService, MailboxState } from '@family-inbox/proto/inbox/v1/inbox'
import { dialAsHolder } from '../_dial-as-holder.ts'
import { type SunkMail, startMailSink } from '../_mail-sink.ts'
import { untilAnswered } from '../_outcome.ts'
import { readUntil } from '../_wait.ts'
import { type Context, newScene, openMailboxTests } from './_mailboxes.ts'
import type { LovedOne } from './_post-office.ts'
import { deliver, plainMail } from './_smtp-client.ts'

/** What the mail provider does with a mail that goes out. */
let carry = async (_mail: SunkMail) => {}
const sink = await startMailSink(async (mail) => {
  await carry(mail)
  return undefined
})

const test = openMailboxTests({ MAIL_MAILBOX: 'family', SMTP_URL: sink.url })
test.after.always(() => sink[Symbol.asyncDispose]())

async function openOperator({ stack }: Context['office']) {
  const client = await dialAsHolder(InboxServiceService, stack.addresses.inbox ?? '', stack, 'ops')
  return Object.assign(client, { [Symbol.dispose]: () => client.close() })
}

/** A family of two loved ones, with one mailbox for all mail, fetched for the first of them. */
async function newHousehold(context: Context) {
  const scene = await newScene(context, 2)
  await scene.add()
  await scene.see(({ state }) => state === MailboxState.WORKING)
  const [first, second] = scene.lovedOnes as [LovedOne, LovedOne]
  return { ...scene, first, second }
}

test('each loved one has a plus address of the mailbox, and other addresses there are not ours', async (t) => {
  const { office } = t.context
  const { first, second, arrivedFor } = await newHousehold(t.context)
  t.regex(second.address, /^family\+[0-9a-z]+@family-inbox\.test$/)
  t.regex(await deliver(office.stack.smtpPort, second.address, plainMail('By SMTP')), /^250 /)
  await t.notThrowsAsync(arrivedFor(second, 'By SMTP'))
  await t.notThrowsAsync(arrivedFor(first))
  const withoutPlus = second.address.replace('family+', '')
  for (const other of [withoutPlus, 'family@family-inbox.test', `ana${second.address.slice(6)}`])
    t.regex(await deliver(office.stack.smtpPort, other, plainMail('No')), /^550 5\.1\.1 /, other)
})

test('mail in the one mailbox goes to the loved one whose address it was for', async (t) => {
  const { first, second, account, arrivedFor } = await newHousehold(t.context)
  const noted = (address: string) => `Delivered-To: ${address}\r\n`
  await account.deliver(noted(second.address) + plainMail('Noted by the server'))
  await account.deliver(noted(second.address.toUpperCase()) + noted(first.address) + plainMail('Forwarded before'))
  await account.deliver(plainMail('Named').replace('To: <inbox@family.example>', `To: Mum <${second.address}>`))
  const both = `To: <${first.address}>\r\nCc: <${second.address}>`
  await account.deliver(plainMail('Named both').replace('To: <inbox@family.example>', both))
  await account.deliver(noted('family@family-inbox.test') + plainMail('For the mailbox itself'))
  await account.deliver(noted(`family+${'0'.repeat(20)}@family-inbox.test`) + plainMail('For nobody we know'))
  await t.notThrowsAsync(arrivedFor(first, 'Named both', 'For the mailbox itself', 'For nobody we know'))
  await t.notThrowsAsync(arrivedFor(second, 'Noted by the server', 'Forwarded before', 'Named', 'Named both'))
})

test('a mailbox brings no mail to another family', async (t) => {
  const mine = await newHousehold(t.context)
  const theirs = await newHousehold(t.context)
  await mine.account.deliver(`Delivered-To: ${theirs.second.address}\r\n${plainMail('Guessed')}`)
  await t.notThrowsAsync(mine.arrivedFor(mine.first, 'Guessed'))
  await t.notThrowsAsync(theirs.arrivedFor(theirs.second))
})

test('what comes back about our own mail comes through the mailbox, too, and is in no inbox', async (t) => {
  const { office } = t.context
  const { first, account, arrivedFor } = await newHousehold(t.context)
  let returnPath = ''
  carry = async ({ from, to: [to = ''], raw }) => {
    if (!to.startsWith('family+test+')) return
    returnPath = from
    await account.deliver(`Delivered-To: ${to}\r\n${raw}`)
  }
  using operator = await openOperator(office)
  const { id } = await untilAnswered(() => operator.startDeliveryTest({}))
  const { seen } = await readUntil(
    () => untilAnswered(() => operator.getDeliveryTest({ id })),
    ({ arrivedAt }) => arrivedAt !== undefined,
  )
  t.like(seen, { spf: 'none', dkim: 'none', dmarc: 'none' }, 'this mail server adds no results that count')
  // An automatic answer at a return path is no report: it must not hold up what comes behind it.
  t.regex(returnPath, /^family\+bounces\+[0-9a-f]{30}@family-inbox\.test$/)
  await account.deliver(`Delivered-To: ${returnPath}\r\n${plainMail('I am away')}`)
  await account.deliver(plainMail('Behind it'))
  await t.notThrowsAsync(arrivedFor(first, 'Behind it'))
})
