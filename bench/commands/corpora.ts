import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Appointment } from '@family-inbox/care-circle/models/appointment'
import { type Message, publicIdOf } from '@family-inbox/inbox/models/message'
import { startStack } from '@family-inbox/local-stack/stack'
import { createTransport } from 'nodemailer'
import type { Options } from '../measure/options.ts'
import { table } from '../measure/table.ts'
import { readByPython } from '../peers/python-reader.ts'
import { makeWorkspace, type Workspace } from '../world/workspace.ts'

const NO_LIMIT = { INBOX_MESSAGES_PER_HOUR: '1000000000', WORKSPACE_STORAGE_MB: '1000000' }
const WAIT_MS = 50
const MAX_WAITS = 1200
/** A text of which more is replacement characters, or UTF-8 that was read as Windows-1252, is garbled. */
const MAX_GARBLED = 0.002
const GARBLED = /\ufffd|[ÃÂ][\u0080-\u00bf]|â€[™œ\u009d“”¦]/g

type Finding = { file: string; problem: string; detail: string }

/** Sends each .eml and .ics file of a folder through SMTP to a stack of its own, and lists what is empty, garbled or dropped. */
export async function benchCorpora({ folder, say }: Options) {
  if (folder === undefined) throw new Error('npm run bench -- corpora <folder>')
  await using stack = await startStack({ env: NO_LIMIT })
  await using workspace = await makeWorkspace(stack)
  const to = workspace.family.lovedOnes[0]?.inboxAddress ?? ''
  const mailer = createTransport({
    ...stack.target.smtp,
    secure: false,
    ignoreTLS: true,
    pool: true,
    maxConnections: 1,
  })
  const send = async (raw: Buffer) => {
    const envelope = { from: 'corpus@clinic.example', to: [to] }
    const sent = await mailer.sendMail({ envelope, raw }).catch((error: Error) => ({ response: error.message }))
    return sent.response
  }
  const files = filesIn(folder)
  const expected = await readByPython(files.filter((file) => file.endsWith('.eml')))
  const findings: Finding[] = []
  const known = new Set<string>()
  for (const [index, file] of files.entries()) {
    const raw = mailOf(file)
    const answer = await send(raw)
    const row = answer.startsWith('250') ? await newestRow(workspace) : undefined
    const found = await problemsOf({ row, answer, known, raw, expected: expected.get(file) ?? 0, workspace })
    findings.push(...found.map((problem) => ({ file: relative(folder, file), ...problem })))
    if (row) known.add(row._id)
    if ((index + 1) % 100 === 0) say(`${index + 1} of ${files.length} files`)
  }
  mailer.close()
  say(report(files.length, findings))
  return { files: files.length, findings }
}

function filesIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)))
  return paths.filter((path) => /\.(?:eml|ics)$/i.test(path) && statSync(path).isFile()).sort()
}

/** A calendar file goes as mail programs send one. */
function mailOf(file: string): Buffer {
  const content = readFileSync(file)
  if (!/\.ics$/i.test(file)) return content
  const lines = [
    'From: Clinic <corpus@clinic.example>',
    `Subject: ${relative('', file).replace(/[^\w./-]/g, '_')}`,
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment; filename="calendar.ics"',
    '',
    content.toString('base64').replace(/.{76}/g, '$&\r\n'),
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

/** Mail is sent one at a time, so the newest is the one that was just accepted. */
async function newestRow({ collection, lovedOneId }: Workspace): Promise<Message | undefined> {
  const [row] = await collection<Message>('inbox', 'messages')
    .find({ lovedOneId })
    .sort({ receivedAt: -1, _id: -1 })
    .limit(1)
    .toArray()
  return row
}

type Sent = {
  row: Message | undefined
  answer: string
  known: ReadonlySet<string>
  raw: Buffer
  /** Characters of text that the reference reader shows. */
  expected: number
  workspace: Workspace
}

async function problemsOf({ row, answer, known, raw, expected, workspace }: Sent): Promise<Omit<Finding, 'file'>[]> {
  if (!answer.startsWith('250')) return [{ problem: 'refused', detail: answer.split('\n')[0] ?? '' }]
  if (row === undefined || known.has(row._id)) return [{ problem: 'dropped', detail: 'accepted, and no new message' }]
  if (row.unreadable) return [{ problem: 'unreadable', detail: 'only its header was read' }]
  const found: Omit<Finding, 'file'>[] = []
  const shown = row.subject + row.text
  const garbled = shown.match(GARBLED)?.length ?? 0
  if (garbled > shown.length * MAX_GARBLED) found.push({ problem: 'garbled', detail: `${garbled} characters` })
  if (row.text.trim() === '' && expected > 0)
    found.push({ problem: 'empty', detail: `${expected} characters expected` })
  if (row.calendarAt !== undefined) {
    const events = raw.includes('BEGIN:VEVENT') || !raw.includes('BEGIN:V')
    if (events && !(await hasAppointment(workspace, row)))
      found.push({ problem: 'no appointment', detail: 'of its calendar file' })
  }
  return found
}

/** Once its calendar files were read. */
async function hasAppointment({ collection }: Workspace, { _id }: Message): Promise<boolean> {
  const messages = collection<Message>('inbox', 'messages')
  const appointments = collection<Appointment>('careCircle', 'appointments')
  for (let waited = 0; waited < MAX_WAITS; waited += 1) {
    const [pending, found] = await Promise.all([
      messages.findOne({ _id, calendarPending: true }, { projection: { _id: 1 } }),
      appointments.findOne({ messageIds: publicIdOf({ _id }) } as object, { projection: { _id: 1 } }),
    ])
    if (found !== null) return true
    if (pending === null && waited > MAX_WAITS / 60) return false
    await sleep(WAIT_MS)
  }
  return false
}

function report(count: number, findings: Finding[]): string {
  const problems = [...new Set(findings.map(({ problem }) => problem))].sort()
  const rows = problems.map((problem) => [
    problem,
    `${findings.filter((finding) => finding.problem === problem).length}`,
  ])
  const lines = findings.map(({ file, problem, detail }) => `  ${problem}: ${file} (${detail})`)
  return [`\n${count} files`, table([['problem', 'files'], ...rows]), ...lines].join('\n')
}
