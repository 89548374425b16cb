import test from 'ava'
import { mail, part } from '../../../../tests/mail-corpus/build-mail.ts'
import { parseMessage } from '../mail/parse-message.ts'
import { replyMailbox } from './reply-recipient.ts'

async function replyTo(raw: Buffer): Promise<string | undefined> {
  return replyMailbox(await parseMessage(raw))?.address
}

test('a reply goes to the sender, or to their Reply-To', async (t) => {
  t.is(await replyTo(mail({}, 'Hi')), 'desk@clinic.example')
  t.is(await replyTo(mail({ 'Reply-To': 'Team <team@clinic.example>' }, 'Hi')), 'team@clinic.example')
  t.is(await replyTo(mail({ From: null }, 'Hi')), undefined)
})

test('a reply to a forwarded mail goes to its author, not to the forwarder', async (t) => {
  const anna = { From: 'anna@family.example', 'Reply-To': 'anna@work.example', Subject: 'Fwd: Visit' }
  const quoted =
    '---------- Forwarded message ---------\nFrom: Dr. Weber <weber@hospital.example>\nDate: Monday\n\nHello'
  t.is(await replyTo(mail(anna, quoted)), 'weber@hospital.example')
  const original = part({ From: 'weber@hospital.example', 'Reply-To': 'office@hospital.example' }, 'Hello')
  t.is(await replyTo(mail({ ...anna, 'Content-Type': 'message/rfc822' }, original)), 'office@hospital.example')
})

test('a reply to a resent mail goes to the author’s Reply-To', async (t) => {
  const resent = { 'Resent-From': 'anna@family.example', 'Reply-To': 'team@clinic.example' }
  t.is(await replyTo(mail(resent, 'Hi')), 'team@clinic.example')
  const list = { From: '"Weber via List" <list@x.example>', 'X-Original-From': 'Weber <weber@hospital.example>' }
  t.is(await replyTo(mail(list, 'Hi')), 'weber@hospital.example')
})
