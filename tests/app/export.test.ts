import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'
import { receiveLetter, submitFiles } from '../_letter.ts'
import { openMailer } from '../_mailer.ts'
import { pdfOf } from '../_pdf-and-png.ts'
import { readUntil } from '../_wait.ts'
import { attachment, multipartMail, text } from '../mail-corpus/build-mail.ts'
import { mintKey } from '../outgoing-mail/_approval.ts'
import { linkAgency } from './_agency.ts'
import { type Sink, signIn, type Visitor } from './_app.ts'

const test = anyTest.serial as TestFn<{ f: Guest; sink: Sink; folder: string }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, sink: f.sink, folder: mkdtempSync(join(tmpdir(), 'settings-export-')) }
})
test.after.always(async (t) => {
  const { f, folder } = t.context
  await f?.[Symbol.asyncDispose]()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

test('the download has every message as it arrived, its attachments, and all family data, but nothing of another family', async (t) => {
  const { f, sink, folder } = t.context
  const other = await f.another()
  const [mine, foreign] = [`zq${randomText(14)}`, `zq${randomText(14)}`]
  const large = Buffer.alloc(3_000_000, `${mine} `)
  const raw = mailWith(mine, large)
  await openMailer(f.stack).deliver(f.family.lovedOnes[0]?.inboxAddress ?? '', raw)
  await openMailer(f.stack).deliver(other.lovedOnes[0]?.inboxAddress ?? '', mailWith(foreign, Buffer.from(foreign)))
  const key = f.family.keys.owner
  const list = (keyOfOne: string, lovedOneId?: string, query?: string) =>
    f.call(keyOfOne, 'list_inbox_messages', { lovedOneId, limit: 50, query })
  for (const [one, word] of [
    [f.family, mine],
    [other, foreign],
  ] as const)
    await readUntil(
      () => list(one.keys.owner, one.lovedOnes[0]?.id, insideOf(word)),
      (answer) => answer.json.result.structuredContent.messages.length === 1,
    )
  const { json } = await list(key, f.family.lovedOnes[0]?.id)
  const messages = json.result.structuredContent.messages as { id: string; subject: string }[]
  await f.call(f.family.keys.coordinator, 'reply_to_inbox_message', {
    messageId: messages[1]?.id,
    body: `Reply ${mine}`,
  })

  const agency = await linkAgency(f, f.family)
  await agency.note(`Note ${mine}`)
  const owner = await signIn(f, sink, f.family.people.owner)
  const letter = await receiveLetter(f, owner)
  await owner.get(letter.path)
  const sent = { name: 'Form.pdf', bytes: Buffer.concat([Buffer.from('%PDF-1.7'), large]) }
  await submitFiles(f, owner, `${letter.path}/reply`, { key: mine, body: 'With a form' }, [sent])
  const path = `/inbox/${f.family.lovedOnes[0]?.id}/${messages[1]?.id}`
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
  await owner.submit(`${path}/status`, { act: 'take' })
  await owner.submit(`${path}/notes`, { note: `For us ${mine}`, key: mine })
  await owner.submit(`${path}/reminders`, { day, unanswered: '1' })
  await owner.submit('/to-dos/new', { text: `To do ${mine}`, day })
  const approval = await mintKey(owner, 'approval', 'Careful')
  const waiting = { messageId: messages[1]?.id, body: `Proposal ${mine}` }
  await f.call(approval, 'reply_to_inbox_message', waiting)
  await f.call(approval, 'invite_family_member', { email: `${mine}@example.org`, role: 'viewer' })
  const files = await download(f, owner, join(folder, 'owner'))
  const mails = [...files.keys()].filter((path) => /^mail\/Rosa Almeida\/[^/]+\/message\.eml$/.test(path))
  t.is(mails.length, messages.length + 1)
  const forms = [...files].filter(([path]) => /^mail\/reply-attachments\/rep_\w+\/1 Form\.pdf$/.test(path))
  t.true(forms.length === 1 && forms[0]?.[1].equals(sent.bytes), 'what went with a reply')
  const folderOf = mails.find((path) => path.includes(messages[0]?.id ?? '-'))?.replace(/message\.eml$/, '') ?? ''
  t.true(files.get(`${folderOf}message.eml`)?.includes(raw.subarray(-200)), 'as it arrived')
  t.true(files.get(`${folderOf}attachments/1 scan ${mine}.bin`)?.equals(large))
  const shown = JSON.parse(String(files.get(`${folderOf}message.json`)))
  t.is(shown.subject, `About ${mine}`)
  t.is(shown.attachments[0].size, large.length)
  t.deepEqual(
    shown.attachments.map(({ text: inside }: { text?: string }) => inside),
    [undefined, insideOf(mine)],
    'what its PDF says',
  )

  const read = (path: string) => JSON.parse(String(files.get(path)))
  t.is(read('mail/replies.json')[0].body, `Reply ${mine}`)
  t.like(read('mail/reply-proposals.json')[0], { body: `Proposal ${mine}`, assistant: 'Careful', state: 'waiting' })
  t.is(read('care-circle/invitation-proposals.json')[0].email, `${mine}@example.org`)
  t.is(read('mail/addresses.json').length, 2)
  t.is(read('mail/notes.json')[0].text, `For us ${mine}`)
  t.like(read('mail/reminders.json')[0], { day, onlyIfUnanswered: true, name: 'Ana Almeida' })
  const statuses = read('mail/status.json') as { status: string; assigneeName?: string }[]
  t.true(statuses.some(({ status, assigneeName }) => status === 'taken' && assigneeName === 'Ana Almeida'))
  t.like(read('care-circle/to-dos.json')[0], { text: `To do ${mine}`, day, status: 'open' })
  t.is(read('care-circle/members.json').length, 3)
  t.is(read('care-circle/loved-ones.json')[0].name, 'Rosa Almeida')
  t.is(read('care-circle/family.json').name, 'The Almeida family')
  t.is(read('you/profile.json').email, f.family.people.owner)
  t.is(read('timeline/care-events.json').length, 1)
  t.is(read('timeline/care-events.json')[0].source, 'Sunrise Home Care')
  t.true(String(files.get('timeline/care-events.json')).includes(`Note ${mine}`))
  await agency.share(false)
  const activity = read('assistants/activity.json') as { tool: string; message?: { messageId: string } }[]
  t.true(activity.some(({ tool }) => tool === 'list_inbox_messages'))
  const replied = activity.filter(({ tool }) => tool === 'reply_to_inbox_message')
  t.true(replied.some(({ message }) => message?.messageId === messages[1]?.id))
  const acts = read('activity/people.json') as { personId: string; tool: string; message?: { messageId: string } }[]
  t.true(acts.some(({ tool, message }) => tool === 'open_message' && message?.messageId === letter.messageId))
  t.true(files.has('Read me.txt'))

  const everything = Buffer.concat([...files.values()])
  for (const secret of [foreign, other.workspaceId, other.people.owner, key, key.slice(8)])
    t.false(everything.includes(secret), 'nothing of another family, and no secret')
})

test('members download what they can read: all messages, and their own assistants’ activity', async (t) => {
  const { f, sink, folder } = t.context
  const viewer = await signIn(f, sink, f.family.people.viewer)
  await f.call(f.family.keys.viewer, 'list_loved_ones')
  const files = await download(f, viewer, join(folder, 'viewer'))
  const activity = JSON.parse(String(files.get('assistants/activity.json'))) as { personId: string; tool: string }[]
  t.deepEqual([...new Set(activity.map(({ tool }) => tool))], ['list_loved_ones'])
  const acts = JSON.parse(String(files.get('activity/people.json'))) as { tool: string }[]
  t.true(
    acts.every(({ tool }) => tool === 'download_export'),
    'the owner’s is not theirs',
  )
  t.true([...files.keys()].some((path) => path.endsWith('/message.eml')))
  t.deepEqual(JSON.parse(String(files.get('timeline/care-events.json'))), [], 'the agency no longer shares it')
  t.false(Buffer.concat([...files.values()]).includes('sk-sand-'))
})

test('a download is never cached, starts only from our own page, and is limited per day', async (t) => {
  const { f, sink } = t.context
  const owner = await signIn(f, sink, (await f.another()).people.owner)
  const answers = []
  for (let round = 0; round < 6; round += 1) answers.push(await owner.submit('/settings/your-data/download', {}))
  t.is(answers[0]?.headers['cache-control'], 'no-store')
  t.is(answers[0]?.headers['content-type'], 'application/zip')
  t.regex(String(answers[0]?.headers['content-disposition']), /^attachment; filename="family-care-inbox-[\d-]+\.zip"$/)
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 429],
  )
  t.is((await owner.get('/settings/your-data/download')).status, 405)
})

test('when a service is down, the page says so instead of starting an incomplete file', async (t) => {
  await using f = await joinFamily('mortal')
  const owner = await signIn(f, f.sink, f.family.people.owner)
  await f.stack.pause('inbox')
  try {
    const answer = await owner.submit('/settings/your-data/download', {})
    t.is(answer.status, 503)
  } finally {
    f.stack.resume('inbox')
  }
})

const insideOf = (word: string) => `inside${word}`

function mailWith(word: string, content: Buffer): Buffer {
  return multipartMail({ Subject: `About ${word}`, From: `Desk <desk@clinic.example>` }, 'mixed', [
    text(`Dear ${word}`),
    attachment(`scan ${word}.bin`, 'application/octet-stream', content),
    attachment('report.pdf', 'application/pdf', Buffer.from(pdfOf([`BT /F1 9 Tf 9 9 Td (${insideOf(word)}) Tj ET`]))),
  ])
}

/** Downloads as the page does and unpacks with Python's zipfile. */
async function download(f: Guest, visitor: Visitor, folder: string): Promise<Map<string, Buffer>> {
  const bytes = await fetchZip(f, visitor)
  writeFileSync(`${folder}.zip`, bytes)
  execFileSync('python3', [
    '-c',
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])',
    `${folder}.zip`,
    folder,
  ])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), readFileSync(path)]
    }),
  )
}

function fetchZip({ stack }: Guest, { cookie }: Visitor): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, origin: stack.inboxUrl, 'content-type': 'application/x-www-form-urlencoded' }
    const url = `${stack.inboxUrl}/settings/your-data/download`
    const request = httpRequest(url, { method: 'POST', headers, agent: false }, async (response) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of response) chunks.push(chunk)
        resolve(Buffer.concat(chunks))
      } catch (error) {
        reject(error)
      }
    })
    request.on('error', reject)
    request.end()
  })
}
