export type Budget = {
  /** Takes so much, or nothing when there is not so much left. */
  take(amount: number): boolean
  give(amount: number): void
  /** Whether any of it is taken. */
  isTouched(): boolean
}

/** What all messages under way may use together, of memory or of places. */
export function createBudget(total: number): Budget {
  let free = total
  return {
    take(amount) {
      if (amount > free) return false
      free -= amount
      return true
    },
    give(amount) {
      free += amount
    },
    isTouched: () => free < total,
  }
}
