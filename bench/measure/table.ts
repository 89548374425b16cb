import type { Spread } from './statistics.ts'

/** Aligns rows in columns: the first left, the others right. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => `  ${row.map(cell).join('  ')}`.trimEnd()).join('\n')
}

/** Each figure after its name. */
export function listed(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure.toFixed(0)}`)
    .join(', ')
}

/** The median, with minimum and maximum in brackets. */
export function shown({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} [${min.toFixed(digits)}–${max.toFixed(digits)}]`
}
