import type { Family } from '../_family.ts'
import { submitFiles } from '../_letter.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { connectApplication } from '../_visitor.ts'
import { readUntil } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { mintKey } from '../outgoing-mail/_approval.ts'
import { linkAgency } from './_agency.ts'
import { type Sink, signIn, type Visitor } from './_app.ts'

type Demo = Family['family']

/** Puts the word into everything a workspace stores. */
export async function fill(f: Family<SharedStack>, sink: Sink, family: Demo, canary: string): Promise<Visitor> {
  const mailer = openMailer(f.stack)
  for (const { inboxAddress } of family.lovedOnes) await mailer.deliver(inboxAddress, mailWith(canary))
  const lovedOneId = family.lovedOnes[0]?.id
  const inside = { lovedOneId, query: `"inside ${canary}"` }
  await readUntil(
    () => f.call(family.keys.owner, 'list_inbox_messages', inside),
    (answer) => answer.json.result.structuredContent.messages.length === 1,
  )
  const { json } = await f.call(family.keys.owner, 'list_inbox_messages', { lovedOneId })
  const messageId = json.result.structuredContent.messages[0].id
  await f.call(family.keys.owner, 'reply_to_inbox_message', { messageId, body: `Reply ${canary}` })
  await f.call(family.keys.owner, 'invite_family_member', { email: `${canary}@example.org`, role: 'viewer' })
  await (await linkAgency(f, family)).note(`Note ${canary}`)
  const owner = await signIn(f, sink, family.people.owner)
  await owner.submit('/settings/tool-keys', { name: `Key ${canary}`, request: canary })
  await owner.submit('/settings/notifications', { mode: 'each', timeZone: 'UTC' })
  const careful = await mintKey(owner, 'approval', `Careful ${canary}`)
  await f.call(careful, 'reply_to_inbox_message', { messageId, body: `Proposal ${canary}` })
  await f.call(careful, 'invite_family_member', { email: `proposed-${canary}@example.org`, role: 'viewer' })
  await connectApplication({ ...f, family }, owner, ['care_circle:read'])
  await owner.submit(`/emergency-sheets/${lovedOneId}/change`, {
    typed: 'yes',
    version: '0',
    wishes: `Sheet ${canary}`,
  })
  const path = `/inbox/${lovedOneId}/${messageId}`
  await owner.get(path)
  await owner.submit(`${path}/notes`, { note: `@Luis ${canary}`, key: canary })
  await owner.submit(`${path}/status`, { act: 'take' })
  await owner.submit('/to-dos/new', { text: `To do ${canary}`, for: lovedOneId ?? '', request: canary })
  await owner.submit(`${path}/reminders`, { day: new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10) })
  const file = { name: `${canary}.pdf`, bytes: Buffer.from(`%PDF-1.7 ${canary}`) }
  await submitFiles(f, owner, `${path}/reply`, { key: canary, body: `With a file ${canary}` }, [file])
  await submitFiles(f, owner, `${path}/attachments`, { key: canary }, [file])
  return owner
}

export function mailWith(word: string): Buffer {
  return multipartMail({ Subject: `About ${word}`, From: `Desk ${word} <desk@clinic.example>` }, 'mixed', [
    text(`Dear ${word}`),
    attachment(`scan ${word}.txt`, 'text/plain', Buffer.alloc(200_000, `${word} `)),
    attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf([`BT /F1 9 Tf 9 9 Td (Inside ${word}) Tj ET`]))),
  ])
}
