/**
 * How many clients nats-server has refused because of their key. It also refuses, without naming a key, whoever has not said who it is
 * at the moment when the server reads its users again: that client connects again.
 */
export function countRefusedKeys(log: string): number {
  return log.split('authentication error - Nkey').length - 1
}
