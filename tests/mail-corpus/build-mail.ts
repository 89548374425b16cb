export type ExpectedAttachment = { filename: string; contentType: string; size?: number; inline?: boolean }

export type MailCase = {
  name: string
  raw: Buffer | (() => Buffer)
  expect: {
    subject?: string
    from?: string
    body?: string
    bodyIncludes?: string[]
    bodyExcludes?: string[]
    /** In order; only the given properties are compared. */
    attachments?: ExpectedAttachment[]
    attachmentCount?: number
    category?: string
    automated?: boolean
    truncated?: boolean
    /** Author of the forwarded original; null if it is not a forward. */
    originalSender?: string | null
    sentAt?: string | null
    messageId?: string | null
    confirmation?: { provider: string; code?: string; link?: string } | null
  }
}

export const FROM = 'Clinic Front Desk <desk@clinic.example>'
export const TO = 'inbox@family-inbox.test'

let count = 0

/** A whole mail with the usual fields; `fields` replace or add, null omits. */
export function mail(fields: Record<string, string | null>, body: string | Buffer = ''): Buffer {
  count += 1
  const all: Record<string, string | null> = {
    From: FROM,
    To: TO,
    Subject: 'Hello',
    'Message-ID': `<corpus-${count}@clinic.example>`,
    Date: 'Tue, 05 Aug 2025 09:30:00 +0200',
    'MIME-Version': '1.0',
    ...fields,
  }
  return part(all, body)
}

export function part(fields: Record<string, string | null>, body: string | Buffer): Buffer {
  const lines = Object.entries(fields).filter(([, value]) => value !== null)
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const content = typeof body === 'string' ? Buffer.from(crlf(body)) : body
  return Buffer.concat([Buffer.from(`${head}\r\n`), content])
}

export function multipart(subtype: string, parts: Buffer[], boundary = `=_${subtype}_boundary`) {
  const pieces = parts.flatMap((content) => [Buffer.from(`--${boundary}\r\n`), content, Buffer.from('\r\n')])
  return {
    type: `multipart/${subtype}; boundary="${boundary}"`,
    body: Buffer.concat([
      Buffer.from('This is a multi-part message.\r\n'),
      ...pieces,
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  }
}

export function multipartMail(fields: Record<string, string | null>, subtype: string, parts: Buffer[]): Buffer {
  const { type, body } = multipart(subtype, parts)
  return mail({ 'Content-Type': type, ...fields }, body)
}

export function text(body: string, fields: Record<string, string> = {}): Buffer {
  return part({ 'Content-Type': 'text/plain; charset=utf-8', ...fields }, body)
}

export function html(body: string): Buffer {
  return part({ 'Content-Type': 'text/html; charset=utf-8' }, body)
}

export function attachment(filename: string, contentType: string, content: Buffer, disposition = 'attachment'): Buffer {
  return part(
    {
      'Content-Type': `${contentType}; name="${filename}"`,
      'Content-Disposition': `${disposition}; filename="${filename}"`,
      'Content-Transfer-Encoding': 'base64',
    },
    base64(content),
  )
}

export function base64(content: Buffer | string): Buffer {
  const lines = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')
  return Buffer.from(`${lines}\r\n`)
}

export function quotedPrintable(content: string | Buffer): string {
  const escaped = [...Buffer.from(content)].map((byte) =>
    (byte >= 0x20 && byte <= 0x7e && byte !== 0x3d) || byte === 0x0a ? String.fromCharCode(byte) : hex(byte),
  )
  const lines = escaped.join('').split('\n')
  return lines.map((line) => line.replace(/(?:=..|[^=]){70}(?=.)/g, '$&=\n')).join('\n')
}

function hex(byte: number): string {
  return `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** Every line ends in CR LF (RFC 5321 section 2.3.8). */
export function crlf(body: string): string {
  return body.replace(/\r?\n/g, '\r\n')
}
