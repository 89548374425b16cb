import type { SunkMail } from '../_mail-sink.ts'

type ReportKind = 'bounce' | 'complaint'

/** A bounce (RFC 3464) or complaint (RFC 5965) about the mail with this Message-ID. */
export function writeReport(kind: ReportKind, original: string, from = 'MAILER-DAEMON@mx.example'): string {
  const [type, fields] = REPORTS[kind]
  const parts = [
    'Content-Type: text/plain\r\n\r\nAbout your mail.',
    `Content-Type: message/${type}\r\n\r\n${fields}`,
    `Content-Type: text/rfc822-headers\r\n\r\nSubject: Re: Question\r\nMessage-ID: ${original}`,
  ]
  const header = `From: ${from}\r\nSubject: Report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=${type}; boundary=b\r\n`
  return `${header}\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
}

const REPORTS: Record<ReportKind, [type: string, fields: string]> = {
  bounce: [
    'delivery-status',
    'Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; x@y.example\r\nAction: failed\r\nStatus: 5.1.1',
  ],
  complaint: ['feedback-report', 'Feedback-Type: abuse\r\nVersion: 1'],
}

export function messageIdOf({ headers }: Pick<SunkMail, 'headers'>): string {
  return /^Message-ID: (<.*>)$/im.exec(headers)?.[1] ?? ''
}
