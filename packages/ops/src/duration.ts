const SECONDS = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 }

/** Parses a duration such as `7d`, `12h`, `30m` or `90s`. @returns seconds */
export function readDuration(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  if (match === null || Number(match[1]) === 0)
    throw new Error('A duration must be a number with a unit, such as 7d, 12h or 30m.')
  return Number(match[1]) * SECONDS[match[2] as keyof typeof SECONDS]
}
