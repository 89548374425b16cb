import type { Authenticity } from '../models/message.ts'

/** Whether the domain of the From address vouches for a mail. A signature of any other domain proves nothing about it. */
export function isAuthentic({ aligned, dmarc }: Authenticity): boolean {
  return aligned ?? dmarc === 'pass'
}
