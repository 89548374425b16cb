import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { type Examination, examination } from '@family-inbox/workspace-kit/examination'

/** Where `npm start` answers for the doctor. */
export type Doctor = { url: string; key: string }

const TIMEOUT_MS = 1500

/** What it found last; it does not look again, however long ago that was. */
export function readExamination(doctor: Doctor): Promise<Examination> {
  return ask(doctor, 'GET')
}

/** Resolves when it begins. Nothing more happens while it is still looking. */
export function beginExamination(doctor: Doctor): Promise<Examination> {
  return ask(doctor, 'POST')
}

async function ask({ url, key }: Doctor, method: 'GET' | 'POST'): Promise<Examination> {
  const request = { method, headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(TIMEOUT_MS) }
  try {
    const response = await fetch(url, request)
    return examination.parse(await response.json())
  } catch {
    throw new StatusError('UNAVAILABLE', 'The doctor does not answer.')
  }
}
