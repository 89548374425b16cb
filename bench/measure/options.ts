import type { Quietly } from './quiet.ts'

export type Options = {
  /** Measurements of each peer, in shuffled order. */
  rounds: number
  seconds: number
  keys: number
  /** The folder of files to send; only for corpora. */
  folder: string | undefined
  /** Measures while the machine is otherwise idle, as long as its patience lasts. */
  quietly: Quietly
  say: (line: string) => void
}
