const RELOAD = /Reloaded: .*?Reloaded server configuration/gs

/**
 * How many clients nats-server has refused, by its log. While it reads its users again, it also refuses whoever has connected and
 * named no key yet: that client connects again, and does not count.
 */
export function countRefused(log: string): number {
  const withoutConnecting = log.replaceAll(RELOAD, (reload) => reload.replaceAll(/authentication error$/gm, ''))
  return withoutConnecting.split('authentication error').length - 1
}
