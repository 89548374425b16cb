import type { OperatorChange } from '@family-inbox/proto/auth/v1/auth'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Examination, Finding, State } from '@family-inbox/workspace-kit/examination'
import type { Switches } from '@family-inbox/workspace-kit/switches'
import type { Context } from '../context.ts'
import { type Html, html } from '../shell/html.ts'
import { whenOf } from '../shell/moment.ts'
import type { Page, Viewer } from '../shell/page.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { toViewer } from '../shell/session.ts'
import type { VisitHandler } from '../shell/visit.ts'
import { confirmedOperator } from './access.ts'
import { beginExamination, type Doctor, readExamination } from './doctor.ts'
import { changesPart, switchesPart } from './switches.ts'

/** Shows what the doctor found last, with its age. The first visit since a start makes it look. */
export function showOperator(ctx: Context, doctor: Doctor): VisitHandler {
  return confirmedOperator(ctx, async (visit, session, { changes }) => {
    const [found, switches] = await Promise.all([lastExamination(doctor), ctx.readSwitches('fresh')])
    return { page: operatorPage({ viewer: toViewer(session), clock: visit.clock, found, switches, changes }) }
  })
}

/** Without an answer the switches are still there. */
async function lastExamination(doctor: Doctor): Promise<Examination> {
  try {
    const found = await readExamination(doctor)
    const isNew = found.examinedAt === undefined && found.running === undefined
    return isNew ? await beginExamination(doctor) : found
  } catch (error) {
    if (error instanceof StatusError && error.status === 'UNAVAILABLE') return { findings: [SILENT] }
    throw error
  }
}

const SILENT: Finding = {
  check: 'doctor',
  state: 'problem',
  says: 'The doctor doesn’t answer.',
  todo: 'Try again. If it stays like this, run on the server: npm run -s ops -- doctor',
}

/** Answers at once: the checks take up to a minute, and the page shows how far they are. */
export function checkAgain(ctx: Context, doctor: Doctor): VisitHandler {
  return confirmedOperator(ctx, async () => {
    await beginExamination(doctor)
    return { redirectTo: '/operator' }
  })
}

type OperatorData = {
  viewer: Viewer
  clock: ReaderClock
  found: Examination
  switches: Switches
  changes: OperatorChange[]
}

function operatorPage({ viewer, clock, found, switches, changes }: OperatorData): Page {
  return {
    title: 'Your server',
    viewer,
    main: html`<p class="up"><a href="/">Inbox</a></p>
<h1>Your server</h1>
<p>Only the operator of this server sees this page. It shows nothing of any family.</p>
<div id="checks"${found.running && html` data-running`}>${checksPart(found, clock)}</div>
${switchesPart(switches)}
${changesPart(changes, clock)}`,
  }
}

function checksPart({ findings, examinedAt, running }: Examination, clock: ReaderClock): Html {
  const at = examinedAt === undefined ? undefined : new Date(examinedAt)
  return html`<section aria-labelledby="checked">
<h2 id="checked">${running ? 'Checking…' : summary(findings)}</h2>
${running ? progressPart(running) : html`<form method="post" action="/operator/check"><button class="second">Check again</button></form>`}
${at && html`<p class="hint">${running ? 'Meanwhile, what was found' : 'Checked'} ${whenOf(at, clock)}.</p>`}
<ul class="rows findings">${bySeverity(findings).map(findingRow)}</ul>
</section>`
}

function progressPart({ parts, done }: NonNullable<Examination['running']>): Html {
  return html`<p role="status">${done} of ${parts === 0 ? 'all' : parts} parts are done. This takes up to a minute.</p>
<p><a href="/operator">Show what is done</a></p>`
}

function summary(findings: Finding[]): string {
  const count = (wanted: State) => findings.filter(({ state }) => state === wanted).length
  const [problems, warnings] = [count('problem'), count('warning')]
  const words = [
    ...(problems > 0 ? [problems === 1 ? '1 problem' : `${problems} problems`] : []),
    ...(warnings > 0 ? [warnings === 1 ? '1 warning' : `${warnings} warnings`] : []),
  ]
  return words.length === 0 ? 'Everything is in order' : words.join(' and ')
}

const SEVERITY: Record<State, { rank: number; word: string }> = {
  problem: { rank: 0, word: 'Problem' },
  warning: { rank: 1, word: 'Warning' },
  ok: { rank: 2, word: 'OK' },
  skipped: { rank: 3, word: 'Not checked' },
}

function bySeverity(findings: Finding[]): Finding[] {
  return findings.toSorted((a, b) => SEVERITY[a.state].rank - SEVERITY[b.state].rank)
}

function findingRow({ check, state, says, todo }: Finding): Html {
  return html`<li><h3><span class="tag ${state}">${SEVERITY[state].word}</span> ${check.slice(0, 1).toUpperCase()}${check.slice(1)}</h3>
<p>${says}</p>
${todo && html`<p class="todo">${todo}</p>`}</li>`
}
