import { parseArgs } from 'node:util'
import { benchBackup } from './commands/backup.ts'
import { benchCalls } from './commands/calls.ts'
import { benchCapacity } from './commands/capacity.ts'
import { benchCorpora } from './commands/corpora.ts'
import { benchCosts } from './commands/costs.ts'
import { benchEvents } from './commands/events.ts'
import { benchFaults } from './commands/faults.ts'
import { benchHostile } from './commands/hostile.ts'
import { benchModes } from './commands/modes.ts'
import { benchOverload } from './commands/overload.ts'
import { benchPages } from './commands/pages.ts'
import { benchReadable } from './commands/readable.ts'
import { benchSealing } from './commands/sealing.ts'
import { benchSmtp } from './commands/smtp.ts'
import { benchStart } from './commands/start.ts'
import { describeMachine, machineLine } from './measure/machine.ts'
import { createQuietly } from './measure/quiet.ts'
import { saveResults } from './report/save.ts'

const USAGE = `npm run bench -- [backup|calls|capacity|corpora FOLDER|costs|events|faults|hostile|modes|overload|pages|readable|sealing|smtp|start|all] [--rounds 5] [--seconds 3] [--patience 20] [--keys 4000]

  backup      seconds to back up and restore 500 MB, and to write and replay a slice of the oplog
  calls       list_inbox_messages and ping: ours and references F and S
  capacity    what 1,000 to 10 million families need and what is the limit first: a model of measured costs (docs/capacity.md)
  corpora     sends every .eml and .ics file of FOLDER through SMTP and lists what came out empty, garbled or not at all
  costs       processor time of each process, and bytes stored, of a call, a page, a mail and an event: bench/capacity uses them
  events      accepted partner events: ours and one Express process with the same writes; the cost of a forged event
  faults      everything while processes, stores and replicas are killed, paused, cut off and damaged: one line a promise (half an
              hour; --rounds 2: a quarter)
  hostile     what one attacker costs the others: a family's calls a second, alone and next to each kind of attacker
  modes       calls, events, memory and start with one process and with seven, against the goals (bench/README.md)
  overload    good answers a second at capacity and at four times the load
  pages       calls between services, their waves, and database commands of each page; the inbox, a search and a message with 100
              and with 100,000 messages; the weight of the first page; its load time in a browser on a slow phone, if there is a
              Chromium (some minutes)
  readable    time from an event's 202 until list_care_events returns it, at half the load
  sealing     what families' keys cost a list, a search, a message and a mail, as ratios
  smtp        durable messages a second: ours and a bare smtp-server handler
  start       seconds from npm start to ready, and the memory of each idle process
  all         calls, smtp and start; the default

  --rounds    measurements of each, in shuffled order; faults: how often each kind of fault happens on a cluster, at least
  --seconds   length of each measurement
  --patience  total seconds to wait for the machine to become idle
  --keys      number of tool keys that take turns, each limited to 60 calls a minute
`

const commands = {
  backup: benchBackup,
  calls: benchCalls,
  capacity: benchCapacity,
  corpora: benchCorpora,
  costs: benchCosts,
  events: benchEvents,
  faults: benchFaults,
  hostile: benchHostile,
  modes: benchModes,
  overload: benchOverload,
  pages: benchPages,
  readable: benchReadable,
  sealing: benchSealing,
  smtp: benchSmtp,
  start: benchStart,
}

try {
  await main()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      patience: { type: 'string', default: '20' },
      keys: { type: 'string', default: '4000' },
      help: { type: 'boolean', default: false },
    },
  })
  const names = namesOf(positionals[0] ?? 'all')
  if (values.help || names === undefined) return say(USAGE)
  const options = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    keys: Number(values.keys),
    folder: positionals[1],
    quietly: createQuietly(Number(values.patience)),
    say,
  }
  for (const name of names) {
    const machine = describeMachine()
    say(`\n== ${name}: ${machineLine(machine)}`)
    const results = await commands[name](options)
    say(`Written to ${saveResults(name, { machine, options: { ...values }, ...results })}`)
  }
}

function namesOf(asked: string): (keyof typeof commands)[] | undefined {
  if (asked === 'all') return ['calls', 'smtp', 'start']
  return asked in commands ? [asked as keyof typeof commands] : undefined
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
