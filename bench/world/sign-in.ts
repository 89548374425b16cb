import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@family-inbox/local-stack/run-stack'

/** Signs a person in, with the code from the outbox folder. @returns the Cookie header */
export async function signIn({ inboxUrl, dataDir }: Stack, email: string): Promise<string> {
  const asked = await submit(inboxUrl, '/sign-in', { email }, '')
  const code = await codeFor(join(dataDir, 'outbox'), email)
  return submit(inboxUrl, '/sign-in/code', { code }, asked)
}

async function submit(inboxUrl: string, path: string, fields: Record<string, string>, cookie: string): Promise<string> {
  const headers = { origin: inboxUrl, accept: 'text/html', cookie }
  const body = new URLSearchParams(fields)
  const answer = await fetch(inboxUrl + path, { method: 'POST', headers, body, redirect: 'manual' })
  return answer.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ')
}

async function codeFor(outbox: string, email: string): Promise<string> {
  for (let tries = 0; tries < 600; tries += 1) {
    for (const name of await readdir(outbox).catch(() => [])) {
      if (!name.endsWith('.eml')) continue
      const mail = await readFile(join(outbox, name), 'utf8')
      if (mail.includes(email)) return /^\s*(\d{4} \d{4})\s*$/m.exec(mail)?.[1] ?? ''
    }
    await sleep(50)
  }
  throw new Error('no code was mailed within 30 s')
}
