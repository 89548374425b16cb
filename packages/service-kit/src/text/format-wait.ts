/** A waiting time, rounded up: "1 second", "2 minutes", "24 hours". */
export function formatWait(seconds: number): string {
  if (seconds <= 90) return amount(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 90 * 60) return amount(Math.ceil(seconds / 60), 'minute')
  return amount(Math.ceil(seconds / 3600), 'hour')
}

/** "1 minute", "2 minutes". */
export function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
