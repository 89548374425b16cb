import { domainToASCII } from 'node:url'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, requireEmail } from '@family-inbox/service-kit/rpc/text-rules'

/**
 * Reads an address, or a domain as `@example.org`, as the sender filter keeps it. A top-level domain alone is none.
 * @throws StatusError INVALID_ARGUMENT
 */
export function requireSender(field: string, written: string): string {
  const sender = written.trim()
  if (!sender.startsWith('@')) return requireEmail(field, sender)
  const domain = domainToASCII(sender.slice(1))
  if (sender.length <= 254 && domain.includes('.') && !/[@\s]/u.test(sender.slice(1))) return foldEmail(sender)
  throw invalidArgument(field, `${field} must be an address or a domain, like desk@example.org or @example.org.`)
}
