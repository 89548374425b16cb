import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Answer, type Guest, send } from './_family.ts'
import type { Visitor } from './_visitor.ts'
import { readUntil } from './_wait.ts'
import { deliver, plainMail } from './inbox/_smtp-client.ts'

export type Letter = {
  sender: string
  subject: string
  path: string
  url: string
  lovedOneId: string
  messageId: string
}

type Addressee = Pick<Guest['family'], 'lovedOnes'>

/** Delivers a letter from a new sender to a family and finds its page. */
export async function receiveLetter(f: Guest, visitor: Visitor, family: Addressee = f.family): Promise<Letter> {
  const sender = `${randomText(8)}@clinic.example`
  const subject = `Letter ${randomText(8)}`
  const { id = '', inboxAddress = '' } = family.lovedOnes[0] ?? {}
  const raw = plainMail(subject, 'Can you come on Monday?').replace('desk@clinic.example', sender)
  const answer = await deliver(f.stack.smtpPort, inboxAddress, raw)
  if (!answer.startsWith('250')) throw new Error(answer)
  // On a busy machine, the page may come without its messages.
  const { text } = await readUntil(
    () => visitor.get(`/inbox/${id}`),
    (page) => page.text.includes(subject),
  )
  const messageId = new RegExp(`/inbox/${id}/(msg_[a-z0-9]+)[^>]*><bdi>${subject}`).exec(text)?.[1] ?? ''
  const path = `/inbox/${id}/${messageId}`
  return { sender, subject, path, url: f.stack.inboxUrl + path, lovedOneId: id, messageId }
}

export type ChosenFile = { name: string; type?: string; bytes: Uint8Array }

/** The body of a form with files, as a browser encodes it. */
export async function encodeForm(fields: Record<string, string>, files: ChosenFile[]) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const { name, type = '', bytes } of files) form.append('files', new File([Buffer.from(bytes)], name, { type }))
  const encoded = new Response(form)
  return {
    type: encoded.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  }
}

/** Submits a form with files. */
export async function submitFiles(
  f: Guest,
  { cookie }: Pick<Visitor, 'cookie'>,
  path: string,
  fields: Record<string, string>,
  files: ChosenFile[],
  accept = 'text/html',
): Promise<Answer> {
  const { type, bytes } = await encodeForm(fields, files)
  const headers = {
    cookie,
    accept,
    origin: f.stack.inboxUrl,
    'content-type': type,
    'content-length': `${bytes.length}`,
  }
  return send(f.stack.inboxUrl + path, { method: 'POST', headers, body: bytes })
}

/** The files of a mail. */
export function filesOf(raw: string): { type: string; bytes: Buffer }[] {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '-'
  return raw.split(`--${boundary}`).flatMap((part) => {
    const end = part.indexOf('\r\n\r\n')
    const head = part.slice(0, end)
    if (!/^Content-Disposition: attachment/m.test(head)) return []
    const type = /^Content-Type: ([^;\r\n]+)/m.exec(head)?.[1] ?? ''
    return [{ type, bytes: Buffer.from(part.slice(end + 4), 'base64') }]
  })
}
