import { parseArgs } from 'node:util'
import { benchApproval } from './commands/approval.ts'
import { benchCalendar } from './commands/calendar.ts'
import { benchCalls } from './commands/calls.ts'
import { benchCorpora } from './commands/corpora.ts'
import { benchCredentials } from './commands/credentials.ts'
import { benchEras } from './commands/eras.ts'
import { benchEvents } from './commands/events.ts'
import { benchFaults } from './commands/faults.ts'
import { benchGrowth } from './commands/growth.ts'
import { benchHostile } from './commands/hostile.ts'
import { benchModes } from './commands/modes.ts'
import { benchOverload } from './commands/overload.ts'
import { benchPages } from './commands/pages.ts'
import { benchReadable } from './commands/readable.ts'
import { benchSandbox } from './commands/sandbox.ts'
import { benchSite } from './commands/site.ts'
import { benchSmtp } from './commands/smtp.ts'
import { benchStart } from './commands/start.ts'
import { benchSweep } from './commands/sweep.ts'
import { benchTimeline } from './commands/timeline.ts'
import { describeMachine, machineLine } from './measure/machine.ts'
import { createQuietly } from './measure/quiet.ts'
import { saveResults } from './report/save.ts'

const USAGE = `npm run bench -- [calls|corpora FOLDER|credentials|eras|smtp|events|faults|sandbox|site|start|modes|growth|sweep|timeline|readable|pages|calendar|overload|hostile|approval|all] [--rounds 5] [--seconds 3] [--patience 20] [--keys 4000]

  calls       list_inbox_messages and ping: ours and references F and S
  corpora     sends every .eml and .ics file of FOLDER through SMTP and lists what came out empty, garbled or not at all
  credentials calls with a key, a token and a session, with few and with 100,000 of each; connecting an app
  eras        calls with a handshake revision of MCP and with 2026-07-28
  smtp        durable messages a second: ours and a bare smtp-server handler
  events      accepted partner events: ours and one Express process with the same writes; the cost of a forged event
  faults      everything while processes, stores and replicas are killed, paused, cut off and damaged: one line a promise (half an
              hour; --rounds 2: a quarter)
  sandbox     starts of sandbox workspaces, and refused starts: ours and a bare Express handler
  site        pages and discovery files, direct and through the gateway: ours and a bare node:http handler
  start       seconds from npm start to ready, and the memory of each idle process
  modes       calls, events, memory and start with one process and with seven, against the goals (bench/README.md)
  growth      list_inbox_messages with 1,000 and with 1,000,000 messages in the inbox (some minutes)
  sweep       list_inbox_messages during a sweep of 1,000,000 expired sandboxes (some minutes)
  timeline    list_care_events with 1,000 and with 1,000,000 events on the timeline (some minutes)
  readable    time from an event's 202 until list_care_events returns it, at half the load
  pages       the inbox, a search and a message with 100 and with 100,000 messages; the weight of the first page; its load
              time in a browser on a slow phone, if there is a Chromium (some minutes)
  calendar    every page with appointments, or with what became of mail: of a family with one full page of each, and of one with
              10,000 appointments and 100,000 messages (some minutes)
  overload    good answers a second at capacity and at four times the load
  hostile     what one attacker costs the others: a family's calls a second, alone and next to each kind of attacker
  approval    an assistant's reply and invitation that wait for approval, and the same that are sent at once
  all         calls, smtp and start; the default

  --rounds    measurements of each, in shuffled order; faults: how often each kind of fault happens on a cluster, at least
  --seconds   length of each measurement
  --patience  total seconds to wait for the machine to become idle
  --keys      number of tool keys that take turns, each limited to 60 calls a minute
`

const commands = {
  calls: benchCalls,
  corpora: benchCorpora,
  credentials: benchCredentials,
  eras: benchEras,
  smtp: benchSmtp,
  events: benchEvents,
  faults: benchFaults,
  sandbox: benchSandbox,
  site: benchSite,
  start: benchStart,
  modes: benchModes,
  growth: benchGrowth,
  sweep: benchSweep,
  timeline: benchTimeline,
  readable: benchReadable,
  pages: benchPages,
  calendar: benchCalendar,
  overload: benchOverload,
  hostile: benchHostile,
  approval: benchApproval,
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
