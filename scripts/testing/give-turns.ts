// Runs beside AVA's workers and decides when each test file starts.
import { cpus } from 'node:os'
import { relative } from 'node:path'
import type { SharedWorker } from 'ava/plugin'
import { mayStart } from './may-start.ts'

const LOOK_MS = 250
/** Booting a stack takes about this long; until then, the machine only seems idle. */
const SETTLE_MS = 1500

type Waiting = { file: string; start(): void }

const giveTurns: SharedWorker.Factory = async ({ negotiateProtocol }) => {
  const protocol = negotiateProtocol(['ava-4']).ready()
  const running = new Map<string, string>()
  const waiting = new Map<string, Waiting>()
  const readIdleShare = watchProcessors()
  let startedAt = 0

  function look() {
    const idle = readIdleShare()
    for (const [id, { file, start }] of waiting) {
      const isSettled = Date.now() - startedAt > SETTLE_MS
      if (!mayStart(file, [...running.values()], isSettled ? idle : 0)) continue
      waiting.delete(id)
      running.set(id, file)
      if (bootsStack(file)) startedAt = Date.now()
      start()
    }
  }

  setInterval(look, LOOK_MS).unref()
  for await (const message of protocol.subscribe()) {
    const { id, file } = message.testWorker
    const path = relative(`${import.meta.dirname}/../..`, file.replace(/^file:\/\//, '')).replaceAll('\\', '/')
    waiting.set(id, { file: path, start: () => void message.reply('start') })
    message.testWorker.teardown(() => {
      waiting.delete(id)
      running.delete(id)
      look()
    })
    look()
  }
}

export default giveTurns

function bootsStack(file: string): boolean {
  return /^(?:tests|packages\/local-stack)\//.test(file)
}

/** Returns a function that reads which share of the processors was idle lately. */
function watchProcessors(): () => number {
  const samples = [readTimes()]
  const keep = Math.ceil(SETTLE_MS / LOOK_MS)
  return () => {
    samples.push(readTimes())
    if (samples.length > keep) samples.shift()
    const [first, last] = [samples[0], samples.at(-1)]
    const all = (last?.all ?? 0) - (first?.all ?? 0)
    return all > 0 ? ((last?.idle ?? 0) - (first?.idle ?? 0)) / all : 0
  }
}

function readTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times: one }) => one)
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, time) => sum + time, 0)
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all }
}
