import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Config } from '../config.ts'
import { newSecret } from '../secret.ts'

type Settings = Pick<Config, 'deviceKey'>

/** Browsers cap cookies at 400 days. */
const DEVICE_LIFETIME_MS = 390 * DAY_MS

/** People remembered per browser, such as a couple's tablet. */
const MAX_PEOPLE = 4

/** The cookie has up to four entries: id, time (seconds, base 36), and a signature over both and the email. */
export function findKnownDevice(settings: Settings, cookie: string, email: string): string | undefined {
  return entriesOf(cookie).find((entry) => isFor(settings, entry, email))?.id
}

export function rememberDevice(settings: Settings, cookie: string, email: string): string {
  const others = entriesOf(cookie).filter((entry) => !isFor(settings, entry, email))
  const unsigned = { id: newSecret().slice(0, 22), time: Math.floor(Date.now() / 1000).toString(36) }
  const entry = { ...unsigned, mac: sign(settings, unsigned, email).toString('base64url') }
  return [entry, ...others.slice(0, MAX_PEOPLE - 1)].map(({ id, time, mac }) => `${id}~${time}~${mac}`).join('.')
}

type Entry = { id: string; time: string; mac: string }

const ENTRY = /^([\w-]{22})~([0-9a-z]{1,10})~([\w-]{43})$/

function entriesOf(cookie: string): Entry[] {
  return cookie.split('.', MAX_PEOPLE).flatMap((text) => {
    const [, id, time, mac] = ENTRY.exec(text) ?? []
    return id && time && mac ? [{ id, time, mac }] : []
  })
}

function isFor(settings: Settings, entry: Entry, email: string): boolean {
  const isRecent = Number.parseInt(entry.time, 36) * 1000 > Date.now() - DEVICE_LIFETIME_MS
  return isRecent && timingSafeEqual(Buffer.from(entry.mac, 'base64url'), sign(settings, entry, email))
}

function sign({ deviceKey }: Settings, { id, time }: Omit<Entry, 'mac'>, email: string): Buffer {
  return createHmac('sha256', deviceKey).update(`${id}\n${time}\n${email}`).digest()
}
