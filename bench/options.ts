import type { Quietly } from './measure/quiet.ts'

/** How a benchmark is run. */
export type Options = {
  /** How often each peer is measured, in shuffled order. */
  rounds: number
  /** How long each measurement lasts. */
  seconds: number
  /** How many tool keys take turns. */
  keys: number
  /** Measures while nobody else uses the machine, as far as its patience goes. */
  quietly: Quietly
  /** Shows a line to whoever waits. */
  say: (line: string) => void
}
