import { Timestamp } from 'mongodb'

/** The place of an entry in the oplog: a second, and the number of the entry in it. */
export type Position = { t: number; i: number }

/** From whose end (exclusive) to whose end the slice has the entries. */
export type Slice = { name: string; from: Position; to: Position }

const NAME = /^([^_]+)_([^_]+)\.oplog\.tar\.gz\.age$/
const POSITION = /^(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\dZ)\.(\d+)$/

/** `2026-11-28T034510Z.1`, in UTC. */
export function positionText({ t, i }: Position): string {
  return `${new Date(t * 1000).toISOString().slice(0, 19).replaceAll(':', '')}Z.${i}`
}

/** @returns undefined for anything else */
export function readPosition(text: string): Position | undefined {
  const [, day, hour, minute, second, i] = POSITION.exec(text) ?? []
  return day === undefined ? undefined : { t: Date.parse(`${day}${hour}:${minute}:${second}`) / 1000, i: Number(i) }
}

export function sliceName({ from, to }: Omit<Slice, 'name'>): string {
  return `${positionText(from)}_${positionText(to)}.oplog.tar.gz.age`
}

/** The slices among these names, oldest first. */
export function slicesIn(names: readonly string[]): Slice[] {
  return names
    .flatMap((name) => {
      const [, first = '', second = ''] = NAME.exec(name) ?? []
      const [from, to] = [readPosition(first), readPosition(second)]
      return from && to ? [{ name, from, to }] : []
    })
    .sort((a, b) => compare(a.to, b.to))
}

export function compare(a: Position, b: Position): number {
  return a.t - b.t || a.i - b.i
}

export function toTimestamp({ t, i }: Position): Timestamp {
  return new Timestamp({ t, i })
}

export function fromTimestamp({ t, i }: Timestamp): Position {
  return { t, i }
}

export function timeOf({ t }: Position): Date {
  return new Date(t * 1000)
}
