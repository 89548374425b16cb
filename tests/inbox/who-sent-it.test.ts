import { generateKeyPairSync } from 'node:crypto'
import type { ResolveDns } from '@family-inbox/mail-reader/authenticity/authenticity'
import { Category, SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import test from 'ava'
import { dkimSign } from 'mailauth'
import { openDatabase } from '../_database.ts'
import { untilAnswered } from '../_outcome.ts'
import type { LeasedStack } from '../_shared-stack.ts'
import { type Family, joinPostOffice, type PostOffice } from './_post-office.ts'
import { type SecondInbox, startSecondInbox } from './_second-inbox.ts'
import { deliver } from './_smtp-client.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const DOMAINS = ['santos.example', 'google.com', 'evil.example', 'practice.example']

/** Publishes DKIM keys for some domains, and DMARC policies for two of them. */
const resolveDns: ResolveDns = async (name, type) => {
  if (type === 'TXT' && DOMAINS.some((domain) => name === `s1._domainkey.${domain}`)) return [KEY.match(/.{1,250}/g)]
  if (type === 'TXT' && /^_dmarc\.(santos\.example|google\.com)$/.test(name)) return [['v=DMARC1; p=reject']]
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

let office: PostOffice<LeasedStack>
let second: SecondInbox

test.before(async () => {
  office = await joinPostOffice('mortal')
  second = await startSecondInbox(office.stack, { resolveDns })
})
test.after.always(async () => {
  await second?.[Symbol.asyncDispose]()
  await office?.[Symbol.asyncDispose]()
})

const FORWARDED = [
  'Look at this.',
  '',
  '---------- Forwarded message ---------',
  'From: The clinic <desk@clinic.example>',
  'Date: Fri, 20 Nov 2026 10:00:00 +0000',
  'Subject: Your results',
  '',
  'All is well.',
].join('\r\n')

type Sent = { from: string; subject?: string; text?: string; fields?: string[]; signedBy?: string; covers?: number }

/** Delivers a mail to a new family and returns it once it is checked. */
async function arrive(
  family: Family,
  { from, subject = 'Fwd: Your results', text = FORWARDED, fields = [], signedBy, covers }: Sent,
) {
  const mail = [
    `From: ${from}`,
    `Subject: ${subject}`,
    `Message-ID: <${crypto.randomUUID()}@x.example>`,
    ...fields,
    '',
    text,
    '',
  ].join('\r\n')
  const [lovedOne = { id: '', address: '' }] = family.lovedOnes
  const answer = await deliver(
    second.smtpPort,
    lovedOne.address,
    `${await signature(mail, signedBy, covers)}${mail}`.trimEnd(),
  )
  if (!answer.startsWith('250')) throw new Error(answer)
  const [summary] = await office.messages({ ...lovedOne, token: family.owner })
  const request = { lovedOneId: lovedOne.id, messageId: summary?.id ?? '', markRead: false }
  for (;;) {
    const opened = await untilAnswered(() => office.inbox.openMessage(request, { token: family.owner }))
    if (opened.authenticity?.dmarc !== 'pending') return opened
  }
}

/** @param covers so many bytes of the body, all without it */
async function signature(mail: string, signingDomain?: string, covers?: number): Promise<string> {
  if (signingDomain === undefined) return ''
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const more = covers === undefined ? {} : { maxBodyLength: covers }
  const signer = { signingDomain, selector: 's1', privateKey: key, ...more }
  return (await dkimSign(mail, { ...signer, signatureData: [signer] })).signatures
}

async function ownerOf(family: Family): Promise<string> {
  return (await membersOf(family))[0] ?? ''
}

/** The owner first, then the viewer. */
async function membersOf({ workspaceId }: Family): Promise<string[]> {
  await using mongo = await openDatabase(office.stack, 'care-circle')
  const members = await mongo.db().collection('members').find({ workspaceId }).sort({ joinedAt: 1 }).toArray()
  return members.map(({ email }) => email)
}

test.serial('the original sender is trusted if an authenticated member forwarded the mail', async (t) => {
  const family = await office.family()
  const email = await ownerOf(family)
  const { message } = await arrive(family, { from: `Ines <${email.toUpperCase()}>`, signedBy: 'santos.example' })
  t.like(message, { originalSender: { address: 'desk@clinic.example' }, originalVerified: true })
  t.is(message?.sender?.name, 'Ines')
})

test.serial('nobody else can make a clinic appear as the original sender', async (t) => {
  const family = await office.family()
  const email = await ownerOf(family)
  const [, viewer] = await membersOf(family)
  const stranger = await office.family().then(ownerOf)
  const attempts: Sent[] = [
    { from: `Ines <${email}>` },
    { from: `Ines <${email}>`, signedBy: 'evil.example' },
    { from: 'x@evil.example', signedBy: 'evil.example' },
    { from: `"${email}" <x@evil.example>`, signedBy: 'evil.example' },
    { from: `Another family <${stranger}>`, signedBy: 'santos.example' },
    { from: `Rui <${viewer}>`, signedBy: 'santos.example' },
  ]
  for (const attempt of attempts) {
    const { message } = await arrive(family, attempt)
    t.false(message?.originalVerified, JSON.stringify(attempt))
    t.not(message?.sender?.address, 'desk@clinic.example')
  }
})

test.serial('X-Original-From counts only in a member’s authentic mail', async (t) => {
  const family = await office.family()
  const email = await ownerOf(family)
  const listed = {
    subject: 'Your results',
    text: 'All is well.',
    fields: ['X-Original-From: The clinic <desk@clinic.example>', 'Reply-To: collect@evil.example'],
  }
  const [member, forged] = [`Ines <${email}>`, 'The clinic <x@evil.example>']
  const proven = await arrive(family, { ...listed, from: member, signedBy: 'santos.example' })
  t.like(proven.message, { originalSender: { address: 'desk@clinic.example' }, originalVerified: true })
  t.is(proven.replyTo, 'desk@clinic.example')
  for (const attempt of [
    { from: member },
    { from: member, signedBy: 'evil.example' },
    { from: forged },
    { from: forged, signedBy: 'evil.example' },
  ]) {
    const { message, replyTo } = await arrive(family, { ...listed, ...attempt })
    t.deepEqual([message?.originalSender, message?.originalVerified], [undefined, false], JSON.stringify(attempt))
    t.is(replyTo, 'collect@evil.example')
  }
})

test.serial('a forwarding request is authentic only if the provider’s domain signed it', async (t) => {
  const request = {
    from: 'Gmail Team <forwarding-noreply@google.com>',
    subject: '(#987654321) Gmail Forwarding Confirmation',
    text: 'Confirmation code: 987654321\r\nhttps://mail-settings.google.com/mail/vf-%5Babc%5D-x\r\n',
  }
  for (const [signedBy, isAuthentic] of [
    ['google.com', true],
    ['evil.example', false],
    [undefined, false],
  ] as const) {
    const family = await office.family()
    const { message, authenticity, forwardingConfirmation } = await arrive(family, { ...request, signedBy })
    t.is(authenticity?.aligned, isAuthentic, signedBy)
    t.is(message?.category, Category.AUTOMATED)
    t.is(forwardingConfirmation?.link, 'https://mail-settings.google.com/mail/vf-%5Babc%5D-x')
    const lovedOneId = family.lovedOnes[0]?.id ?? ''
    const guide = await untilAnswered(() => office.inbox.getForwarding({ lovedOneId }, { token: family.owner }))
    t.is(guide.confirmationAuthentic, isAuthentic)
  }
})

test.serial(
  'signed mail of a clinic without a DMARC policy is verified everywhere, and appended text is not',
  async (t) => {
    const own = { from: 'Desk <desk@practice.example>', subject: 'Your results', text: 'All is well.' }
    const family = await office.family()
    const signed = await arrive(family, { ...own, signedBy: 'practice.example' })
    t.like(signed.authenticity, { dmarc: 'none', dkim: 'pass', aligned: true })
    t.is(signed.message?.check, SenderCheck.VERIFIED)
    const limited = await arrive(family, {
      ...own,
      from: 'Desk <desk@santos.example>',
      signedBy: 'santos.example',
      covers: 10,
    })
    t.like(limited.authenticity, { dmarc: 'pass', dkim: 'pass', aligned: false })
    t.is(limited.message?.check, SenderCheck.NOT_VERIFIED)
    t.is((await arrive(family, { ...own, signedBy: 'evil.example' })).message?.check, SenderCheck.NOT_VERIFIED)
    t.is((await arrive(family, { ...own, from: 'Desk <desk@santos.example>' })).message?.check, SenderCheck.FAILED)
  },
)
