/** Turns an identifier of an agency into words: `fall_detected` becomes "Fall detected", `med_refused` with its texts "Medication refused: Furosemide". */
export function eventInWords(name: string, texts: readonly string[] = []): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replace(/^meds?\b/i, 'medication')
  const start = words.slice(0, 1).toUpperCase() + words.slice(1)
  return texts.length === 0 ? start : `${start}: ${texts.join(', ')}`
}
