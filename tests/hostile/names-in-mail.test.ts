import test from 'ava'
import { MongoClient } from 'mongodb'
import { joinFamily } from '../_family.ts'
import { receiveLetter } from '../_letter.ts'
import type { SunkMail } from '../_mail-sink.ts'
import { signIn } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { deliver, plainMail } from '../inbox/_smtp-client.ts'

const LINK = 'https://evil.example/now'
const NAMES = { workspaces: `Bank. Go to ${LINK}`, loved_ones: `Rosa. Confirm at ${LINK}`, members: 'www.evil.example' }

test('a name with a link is no link in any mail that we sign', async (t) => {
  await using f = await joinFamily('quick')
  const { sink } = f
  const { people, lovedOnes, workspaceId, keys } = f.family
  const owner = await signIn(f, sink, people.owner)
  await owner.submit('/settings/notifications', { mode: 'each', timeZone: 'Europe/Lisbon' })
  const letter = await receiveLetter(f, owner)
  const page = await owner.get(letter.path)
  const assignee = /<option value="(per_\w+)">Luis/.exec(page.text)?.[1] ?? ''
  await using mongo = await new MongoClient(f.stack.databaseUri('care-circle')).connect()
  for (const [collection, name] of Object.entries(NAMES))
    await mongo
      .db()
      .collection(collection)
      .updateMany(collection === 'workspaces' ? { _id: workspaceId as never } : { workspaceId }, { $set: { name } })
  const before = sink.mails.length
  await deliver(f.stack.smtpPort, lovedOnes[0]?.inboxAddress ?? '', plainMail('News'))
  const handed = await owner.submit(`${letter.path}/status`, { act: 'hand-over', assignee, seen: '' })
  t.is(handed.status, 303)
  const guest = `guest.${workspaceId.slice(-8)}@guest.example`
  await f.call(keys.owner, 'invite_family_member', { email: guest, role: 'viewer' })
  const own = () =>
    sink.mails.slice(before).filter(({ to }) => to.some((one) => [...Object.values(people), guest].includes(one)))
  const isThere = (words: RegExp) => own().some(({ headers }) => words.test(headers))
  await until(async () => [/new message/, /handed you/, /invites you/].every(isThere))
  for (const mail of own()) {
    t.notRegex(plain(mail), /evil\.example|:\/\/evil/, mail.headers)
    t.regex(plain(mail), /evil example/)
  }
})

/** Without soft line breaks (RFC 2045 section 6.7) and folds. */
function plain({ raw }: SunkMail): string {
  return raw.replaceAll(/=\r\n|\r\n(?=[ \t])/g, '').replaceAll('=2E', '.')
}
