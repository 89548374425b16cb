/** How many of the newest days, weeks and months keep their last backup. */
const KEPT = { days: 7, weeks: 4, months: 6 } as const

/** `2026-11-27T033000Z.tar.gz.age`, in UTC, so that names sort by time. */
const NAME = /^(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d)Z\.tar\.gz\.age$/

export function backupName(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '')}Z.tar.gz.age`
}

/** @returns undefined for the name of anything else */
export function madeAt(name: string): Date | undefined {
  const [, day = '', hour = '', minute = '', second = ''] = NAME.exec(name) ?? []
  return day === '' ? undefined : new Date(`${day}${hour}:${minute}:${second}Z`)
}

/** The backups among these names that nothing asks to keep: each of the newest days, weeks and months keeps its last one. Pure. */
export function namesToDelete(names: readonly string[]): string[] {
  const backups = names
    .flatMap((name) => ({ name, at: madeAt(name) ?? [] }))
    .filter((each): each is { name: string; at: Date } => each.at instanceof Date)
    .sort((a, b) => b.at.getTime() - a.at.getTime())
  const kept = new Set<string>()
  for (const [period, count] of Object.entries(KEPT)) {
    const lastOf = new Map<string, string>()
    for (const { name, at } of backups) {
      const key = KEY_OF[period as keyof typeof KEPT](at)
      if (!lastOf.has(key)) lastOf.set(key, name)
    }
    for (const name of [...lastOf.values()].slice(0, count)) kept.add(name)
  }
  return backups.map(({ name }) => name).filter((name) => !kept.has(name))
}

const KEY_OF: Readonly<Record<keyof typeof KEPT, (at: Date) => string>> = {
  days: (at) => at.toISOString().slice(0, 10),
  weeks: (at) => mondayOf(at).toISOString().slice(0, 10),
  months: (at) => at.toISOString().slice(0, 7),
}

function mondayOf(at: Date): Date {
  const monday = new Date(at)
  monday.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
  return monday
}
